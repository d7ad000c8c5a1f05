// Joins the pure parts of the azure-monitor source.
#include "source/azure_monitor/azure_monitor.hpp"

#include "source/azure_monitor/judge.hpp"
#include "source/azure_monitor/parse.hpp"
#include "source/azure_monitor/request.hpp"
#include "source/azure_monitor/settings.hpp"
#include "source/exchange.hpp"
#include "source/question.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::azure_monitor {
namespace {

result<reading> read(const http::answer& got, const settings& by) {
    if (!by.batch) return parse(got, by);
    auto out = parse_batch(got, by);
    if (!out) return std::move(out).failure();
    return std::move(out->reading);
}

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings) {
    auto got = read_settings(from, rules, as, findings);
    if (!got) return std::move(got).failure();
    auto by = azure::open_access({got->where, got->who, from.auth, true, got->strict}, with);
    if (!by) return at_trigger(std::move(by).failure(), from);
    const auto what = std::make_shared<const settings>(*std::move(got));
    question asked;
    asked.target = what->target;
    asked.key = request_key(*what);
    asked.label = from.label();
    asked.retry = one_safe_repeat();
    asked.build = [what](std::int64_t now_ms) { return build_request(*what, now_ms); };
    asked.read = [what](const http::answer& one) { return read(one, *what); };
    asked.judge = [what](const reading& one) { return judge(one, *what); };
    asked.max_age_ms = what->max_age_ms;
    asked.age_remedy = "check whether the resource still reports " + what->metric;
    return made(std::move(asked), *std::move(by), with);
}

}  // namespace gputide::source::azure_monitor
