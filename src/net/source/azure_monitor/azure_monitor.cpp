// Joins the pure parts of the azure-monitor source.
#include "source/azure_monitor/azure_monitor.hpp"

#include "auth/asking.hpp"
#include "source/azure_monitor/judge.hpp"
#include "source/azure_monitor/parse.hpp"
#include "source/azure_monitor/request.hpp"
#include "source/azure_monitor/settings.hpp"
#include "source/question.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::azure_monitor {
namespace {

result<reading> read(const http::answer& answer, const settings& settings) {
    if (!settings.batch) return parse(answer, settings);
    auto out = parse_batch(answer, settings);
    if (!out) return std::move(out).failure();
    return std::move(out->reading);
}

using shared_settings = std::shared_ptr<const settings>;

question question_of(const shared_settings& settings) {
    question out;
    out.retry = auth::one_safe_repeat();
    out.build = [settings](std::int64_t now_ms) { return build_request(*settings, now_ms); };
    out.read = [settings](const http::answer& answer) { return read(answer, *settings); };
    out.max_age_ms = settings->max_age_ms;
    out.age_remedy = "check whether the resource still reports " + settings->metric;
    return out;
}

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings) {
    error lacking{status::ok};
    return description_of(read_settings(trigger, rules, profile, findings, &lacking), lacking,
                          {&judge, &request_key, &settings::metric});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const shared_settings settings = described.settings_as<azure_monitor::settings>();
    return open_question(described, {}, question_of(settings),
                         azure::open_access({settings->where, settings->who, true, settings->strict}, services),
                         services.loop);
}

}  // namespace gputide::source::azure_monitor
