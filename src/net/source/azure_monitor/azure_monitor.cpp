// Joins the pure parts of the azure-monitor source.
#include "source/azure_monitor/azure_monitor.hpp"

#include "source/azure_monitor/judge.hpp"
#include "source/azure_monitor/parse.hpp"
#include "source/azure_monitor/request.hpp"
#include "source/azure_monitor/settings.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"
#include "source/target.hpp"

#include <memory>
#include <utility>

namespace gputide::source::azure_monitor {
namespace {

class azure_monitor_source final : public metric_source {
  public:
    azure_monitor_source(const description& described, std::shared_ptr<const settings> settings,
                         auth::authenticator access, std::shared_ptr<http::loop> loop)
        : metric_source(described, described.question, std::move(access), std::move(loop)),
          settings_(std::move(settings)) {}

    result<http::request> request(std::int64_t now_ms) const override {
        return prepared(build_request(*settings_, now_ms));
    }

    result<source::reading> read(const http::answer& answer) const override {
        if (!settings_->batch) return parse(answer, *settings_);
        auto out = parse_batch(answer, *settings_);
        if (!out) return std::move(out).failure();
        return std::move(out->reading);
    }

  protected:
    fetched sample_of(const http::answer& answer, const poll& poll) const override {
        return within_age(metric_source::judge(read(answer)), poll.now_ms, settings_->max_age_ms,
                          "check whether the resource still reports " + settings_->metric);
    }

  private:
    const std::shared_ptr<const settings> settings_;
};

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings) {
    error lacking{status::ok};
    return description_of(read_settings(trigger, rules, profile, findings, &lacking), lacking,
                          {&judge, &request_key, &settings::metric});
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    const auto settings = described.settings_as<azure_monitor::settings>();
    auto access = azure::open_access({settings->where, settings->who, true, settings->strict}, services);
    if (!access) return std::move(access).failure();
    return std::shared_ptr<metric_source>(
        std::make_shared<azure_monitor_source>(described, settings, *std::move(access), services.loop));
}

}  // namespace gputide::source::azure_monitor
