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
    description out;
    auto read = read_settings(trigger, rules, profile, findings, &out.lacking);
    if (!read) return std::move(read).failure();
    const shared_settings settings = std::make_shared<const log_analytics::settings>(*std::move(read));
    out.target = settings->target;
    out.asks = settings->query;
    out.question = request_key(*settings);
    out.to_sample = [settings](const reading& whole) { return judge(whole, *settings); };
    out.opener = [settings, identity = trigger.auth](const description& described, const services& services) {
        return open_question(
            described, {}, question_of(settings),
            azure::open_access({settings->where, settings->who, identity, !settings->unsafe_ssl, settings->strict},
                               services),
            services.loop);
    };
    return out;
}

}  // namespace gputide::source::log_analytics
