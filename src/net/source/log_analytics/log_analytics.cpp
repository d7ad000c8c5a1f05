// Joins the pure parts of the azure-log-analytics source.
#include "source/log_analytics/log_analytics.hpp"

#include "auth/asking.hpp"
#include "source/log_analytics/parse.hpp"
#include "source/log_analytics/request.hpp"
#include "source/log_analytics/settings.hpp"
#include "source/question.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::log_analytics {
namespace {

http::retry_rule repeat_but_heavy_queries() {
    http::retry_rule out = auth::one_safe_repeat();
    out.again = [usual = out.again](const http::answer& answer) { return !is_too_heavy(answer) && usual(answer); };
    return out;
}

using shared_settings = std::shared_ptr<const settings>;

question question_of(const shared_settings& settings) {
    question out;
    out.retry = repeat_but_heavy_queries();
    out.build = [settings](std::int64_t) { return build_request(*settings); };
    out.read = [settings](const http::answer& answer) { return parse(answer, *settings); };
    out.max_age_ms = settings->max_age_ms;
    out.age_remedy = "check whether the rows that the query reads still arrive";
    return out;
}

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings) {
    error lacking{status::ok};
    return description_of(read_settings(trigger, rules, profile, findings, &lacking), lacking,
                          {&judge, &request_key, &settings::query});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const shared_settings settings = described.settings_as<log_analytics::settings>();
    return open_question(
        described, {}, question_of(settings),
        azure::open_access({settings->where, settings->who, !settings->unsafe_ssl, settings->strict}, services),
        services.loop);
}

}  // namespace gputide::source::log_analytics
