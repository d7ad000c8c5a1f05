#include "common/error_json.hpp"

#include <iostream>

namespace gputided {
namespace {

// Adds the members of the first error, and all findings.
void add_findings(ordered_json& out, const std::string& text) {
    const ordered_json report = ordered_json::parse(text, nullptr, false);
    if (!report.is_object() || !report.contains("report")) return;
    const ordered_json& findings = report.at("report").at("findings");
    for (const ordered_json& found : findings) {
        if (found.at("severity") != "error") continue;
        for (const char* member : {"code", "file", "line", "column", "path", "message", "remedy"}) {
            if (found.contains(member)) out[member] = found.at(member);
        }
        break;
    }
    out["findings"] = findings;
}

}  // namespace

ordered_json failure_json(const gputide::failure& failure) {
    const gputide_error& error = failure.error();
    const char* const status = gputide_status_name(error.status);
    ordered_json out{{"code", status}, {"status", status}};
    if (error.where[0] != '\0') out["where"] = error.where;
    out["message"] = error.message;
    out["retryable"] = error.retryable != 0;
    if (error.http_status != 0) out["http_status"] = error.http_status;
    if (error.service_code[0] != '\0') out["service_code"] = error.service_code;
    if (const auto* manifest = dynamic_cast<const manifest_failure*>(&failure)) add_findings(out, manifest->report);
    return out;
}

ordered_json usage_error_json(const std::string& message) { return {{"code", "usage"}, {"message", message}}; }

ordered_json other_error_json(const std::string& message) { return {{"code", "internal"}, {"message", message}}; }

int report_failure(exit_status status, const std::string& text, ordered_json error, bool as_json) {
    log_line(text, log_level::error);
    if (as_json) {
        error["exit_status"] = status;
        std::cout << dumped(ordered_json{{"error", std::move(error)}}) << "\n" << std::flush;
    }
    return status;
}

}  // namespace gputided
