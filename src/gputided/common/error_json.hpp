// Errors as JSON for --output json: the members tell the cause, the place and the remedy.
#pragma once

#include "common/json.hpp"
#include "common/log.hpp"
#include "gputide/gputide.hpp"

#include <string>
#include <utility>

namespace gputided {

// A rejected manifest, with the report of gputide_manifest_check.
struct manifest_failure : gputide::failure {
    manifest_failure(const gputide_error& error, std::string report_given)
        : gputide::failure(error), report(std::move(report_given)) {}

    std::string report;
};

// Returns {"code","status","message",...}.  For a manifest it adds code, file, line, column, path and remedy of the first error,
// and all findings; for a source where, http_status and service_code.
ordered_json failure_json(const gputide::failure& failure);

// Returns {"code":"usage","message":...}.
ordered_json usage_error_json(const std::string& message);

// Returns {"code":"internal","message":...}.
ordered_json other_error_json(const std::string& message);

// Logs the text, and prints {"error":{...,"exit_status":2}} on stdout if as_json.  Returns the status.
int report_failure(exit_status status, const std::string& text, ordered_json error, bool as_json);

}  // namespace gputided
