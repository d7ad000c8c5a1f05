// Builds requests for Log Analytics.
#include "source/log_analytics/log_analytics.hpp"

#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <algorithm>
#include <memory>
#include <utility>

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
    const std::string flags =
        format_text("{} {}{}", settings.strict ? "strict" : "default", settings.unsafe_ssl ? "unverified" : "verified",
                    settings.reduction.accept_partial ? " partial" : "");
    return format_text("azure-log-analytics\n{}\n{}\n{}\n{}\n{}\n{}\n{}", settings.where.base, settings.workspace,
                       settings.timespan, settings.reduction.reduce, flags, settings.attempt_timeout_ms,
                       settings.query);
}

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings) {
    error lacking{status::ok};
    return description_of(read_settings(trigger, rules, profile, findings, &lacking), lacking,
                          {&judge, &request_key, &settings::query});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<log_analytics::settings>();
    auto access =
        azure::open_access({settings->where, settings->who, !settings->unsafe_ssl, settings->strict}, services);
    if (!access) return access.take_failure();
    request_parts parts{.request = [settings](std::int64_t) { return build_request(*settings); },
                        .read = [settings](const http::answer& answer) { return parse(answer, *settings); },
                        .max_age_ms = settings->max_age_ms,
                        .age_remedy = "check whether the rows that the query reads still arrive"};
    // A query that the service aborted as too expensive would cost the same again.
    parts.retry.again = [usual = parts.retry.again](const http::answer& answer) {
        return !is_too_heavy(answer) && usual(answer);
    };
    return make_request_source(described, std::move(parts), *std::move(access), services.loop);
}

}  // namespace gputide::source::log_analytics
