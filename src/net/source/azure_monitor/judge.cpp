// Words and order of judgement for azure-monitor triggers.
#include "source/azure_monitor/judge.hpp"

#include "base/format_text.hpp"
#include "formats/reduce.hpp"
#include "source/azure/answer.hpp"
#include "source/judge.hpp"

#include <algorithm>
#include <utility>

namespace gputide::source::azure_monitor {
namespace {

fetched partial(const reading& reading) {
    std::string missing;
    for (const std::string& one : reading.warnings) missing += (missing.empty() ? "" : "; ") + one;
    error out = fail(error_class::partial, format_text("some resources gave no value ({}); remove them, or accept what "
                                                       "is left by name (gputide.io/accept-partial: \"true\")",
                                                       missing));
    out.retryable = true;
    return judge_failure(std::move(out));
}

fetched nothing(const settings& settings) {
    error out =
        azure::no_data(format_text("no point of {} has the aggregate type {}; ask for one that the metric supports "
                                   "(metricAggregationType), or look further back (metricAggregationInterval)",
                                   settings.metric, settings.aggregation));
    out.retryable = true;
    return judge_failure(std::move(out));
}

}  // namespace

fetched judge(const reading& reading, const settings& settings) {
    if (reading.partial && !settings.reduction.accept_partial) return partial(reading);
    numbers numbers = formats::numbers_of(reading);
    numbers.partial = false;
    if (numbers.newest.empty()) return nothing(settings);
    judge_texts say;
    say.several = format_text("got metric result for {} with several series", settings.metric);
    say.not_finite = format_text("Azure Monitor gave {} as", settings.metric);
    fetched out = judge_numbers(numbers, settings.reduction, say);
    if (out.sample.state != sample_state::ok) return out;
    // As old as the newest point used: they all end at the same minute, but for resources that report late.
    for (const point& one : numbers.newest) out.sample.time_ms = std::max(out.sample.time_ms, one.time_ms);
    return out;
}

}  // namespace gputide::source::azure_monitor
