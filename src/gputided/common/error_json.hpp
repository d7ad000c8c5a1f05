// Errors as JSON, for --output json: what failed, where, and what to do, as members.
#pragma once

#include "common/json.hpp"
#include "common/log.hpp"
#include "gputide/gputide.hpp"

#include <string>
#include <utility>

namespace gputided {

// A manifest that was refused, with the report of gputide_manifest_check.
struct manifest_failure : gputide::failure {
    manifest_failure(const gputide_error& error, std::string report_given)
        : gputide::failure(error), report(std::move(report_given)) {}

    std::string report;
};

// Returns {"code","status","message",...}.  Of a manifest: the first error's code, file, line, column, path and remedy, and all
// findings.  Of a source: where, http_status and service_code.
ordered_json failure_json(const gputide::failure& failure);

// Returns {"code":"usage","message":...}.
ordered_json usage_error_json(const std::string& message);

// Returns {"code":"internal","message":...}.
ordered_json other_error_json(const std::string& message);

// Logs the text; as_json: prints {"error":{...,"exit_status":2}} on stdout, too.  Returns the status.
int report_failure(exit_status status, const std::string& text, ordered_json error, bool as_json);

}  // namespace gputided
