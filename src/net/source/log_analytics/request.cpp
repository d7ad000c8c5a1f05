// Builds requests for Log Analytics.
#include "source/log_analytics/request.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"

#include <algorithm>

namespace gputide::source::log_analytics {

http::request build_request(const settings& settings) {
    constexpr std::int64_t longest_wait_s = 600;
    json_writer body;
    body.begin_object().member("query", settings.query);
    if (!settings.timespan.empty()) body.member("timespan", settings.timespan);
    body.end_object();
    http::request out;
    out.method = "POST";
    out.url = format_text("{}/v1/workspaces/{}/query", settings.where.base, percent_encode(settings.workspace));
    out.body = secret_text(body.take());
    out.set("Content-Type", "application/json");
    out.set("Accept", "application/json");
    if (!settings.strict) {
        const std::int64_t wait_s = std::min((settings.attempt_timeout_ms + 999) / 1'000, longest_wait_s);
        out.set("Prefer", format_text("wait={}", wait_s));
    }
    out.attempt_timeout_ms = settings.attempt_timeout_ms;
    out.connect_timeout_ms = std::min(out.connect_timeout_ms, out.attempt_timeout_ms);
    return out;
}

std::string request_key(const settings& settings) {
    return "azure-log-analytics\n" + settings.where.base + "\n" + settings.workspace + "\n" + settings.timespan + "\n" +
           settings.reduction.reduce + (settings.strict ? "\nstrict" : "\ndefault") +
           (settings.unsafe_ssl ? " unverified" : " verified") + (settings.reduction.accept_partial ? " partial" : "") +
           "\n" + std::to_string(settings.attempt_timeout_ms) + "\n" + settings.query;
}

}  // namespace gputide::source::log_analytics
