// Joins settings, clock and judgement.
#include "source/cron/cron.hpp"

#include "base/format_text.hpp"
#include "formats/reduce.hpp"
#include "source/cron/settings.hpp"
#include "source/judge.hpp"
#include "source/source.hpp"

#include <utility>

namespace gputide::source::cron {
namespace {

fetched judge(const reading& whole) {
    judge_texts say;
    say.empty = "the schedule gave no value";
    say.several = "the schedule gave several values";
    say.not_finite = "the schedule gave";
    return judge_numbers(formats::numbers_of(whole), {.ignore_null = false}, say);
}

class cron_source final : public local_source {
  public:
    cron_source(const description& described, std::shared_ptr<const settings> settings,
                std::shared_ptr<http::loop> loop)
        : local_source(described, std::move(loop), "a schedule is not an endpoint; fetch the value instead"),
          settings_(std::move(settings)) {}

    step begin(poll& poll) override { return metric_source::judge(reading_at(poll.now_ms)); }

  private:
    result<source::reading> reading_at(std::int64_t now_ms) const {
        const auto value = value_at(*settings_, now_ms);
        if (!value) return value.failure();
        source::reading out;
        out.result_type = "scalar";
        out.series.push_back({{}, {{now_ms, *value}}, {}});
        return out;
    }

    const std::shared_ptr<const settings> settings_;
};

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules&, config::profile,
                             config::report* findings) {
    auto read = read_settings(trigger, findings);
    if (!read) return std::move(read).failure();
    const auto settings = std::make_shared<const cron::settings>(*std::move(read));
    description out;
    out.target = settings->target;
    out.asks = format_text("{} to {} {}", settings->start_text, settings->end_text, settings->timezone);
    out.question = format_text("cron\n{}\n{}\n{}\n{}", settings->timezone, settings->start_text, settings->end_text,
                               settings->desired_replicas);
    out.to_sample = &judge;
    out.typed_settings = settings;
    return out;
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    return std::shared_ptr<metric_source>(
        std::make_shared<cron_source>(described, described.settings_as<settings>(), services.loop));
}

}  // namespace gputide::source::cron
