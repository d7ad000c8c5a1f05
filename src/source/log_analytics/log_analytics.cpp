// Joins the pure parts of the azure-log-analytics source.
#include "source/log_analytics/log_analytics.hpp"

#include "source/exchange.hpp"
#include "source/log_analytics/parse.hpp"
#include "source/log_analytics/request.hpp"
#include "source/log_analytics/settings.hpp"
#include "source/question.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::log_analytics {
namespace {

http::retry_rule repeat_but_heavy_queries() {
    http::retry_rule out = one_safe_repeat();
    out.again = [usual = out.again](const http::answer& got) { return !is_too_heavy(got) && usual(got); };
    return out;
}

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings) {
    auto got = read_settings(from, rules, as, findings);
    if (!got) return std::move(got).failure();
    auto by = azure::open_access({got->where, got->who, from.auth, !got->unsafe_ssl, got->strict}, with);
    if (!by) return at_trigger(std::move(by).failure(), from);
    const auto what = std::make_shared<const settings>(*std::move(got));
    question asked;
    asked.target = what->target;
    asked.key = request_key(*what);
    asked.label = from.label();
    asked.retry = repeat_but_heavy_queries();
    asked.build = [what](std::int64_t) { return build_request(*what); };
    asked.read = [what](const http::answer& one) { return parse(one, *what); };
    asked.judge = [what](const reading& one) { return judge(one, *what); };
    asked.max_age_ms = what->max_age_ms;
    asked.age_remedy = "check whether the rows that the query reads still arrive";
    return made(std::move(asked), *std::move(by), with);
}

}  // namespace gputide::source::log_analytics
