// Builds requests for Log Analytics.
#include "source/log_analytics/request.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"

#include <algorithm>

namespace gputide::source::log_analytics {

http::request build_request(const settings& from) {
    constexpr std::int64_t longest_wait_s = 600;
    json_writer body;
    body.begin_object().member("query", from.query);
    if (!from.timespan.empty()) body.member("timespan", from.timespan);
    body.end_object();
    http::request out;
    out.method = "POST";
    out.url = format_text("{}/v1/workspaces/{}/query", from.where.base, percent_encode(from.workspace));
    out.body = secret_text(body.take());
    out.set("Content-Type", "application/json");
    out.set("Accept", "application/json");
    if (!from.strict) {
        const std::int64_t wait_s = std::min((from.attempt_timeout_ms + 999) / 1'000, longest_wait_s);
        out.set("Prefer", format_text("wait={}", wait_s));
    }
    out.attempt_timeout_ms = from.attempt_timeout_ms;
    out.connect_timeout_ms = std::min(out.connect_timeout_ms, out.attempt_timeout_ms);
    return out;
}

std::string request_key(const settings& from) {
    return "azure-log-analytics\n" + from.where.base + "\n" + from.workspace + "\n" + from.timespan + "\n" +
           from.reduction.reduce + (from.strict ? "\nstrict" : "\ndefault") +
           (from.unsafe_ssl ? " unverified" : " verified") + (from.reduction.accept_partial ? " partial" : "") + "\n" +
           std::to_string(from.attempt_timeout_ms) + "\n" + from.query;
}

}  // namespace gputide::source::log_analytics
