// gputide.io/forecast-history: what of the past is wanted, and what a scaler that was told of it does from its first pass on.
#include "decide/forecast/history.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "forecast/series.hpp"
#include "forecast_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gputide::decide {
namespace {

using scene::day_ms;
using scene::driven;
using scene::minute_ms;
using scene::office_at;
using scene::value;

policy with_history(std::int64_t history_ms, policy by = scene::hpa(1, 60)) {
    by.scaling.extra.sync_period_ms = 30'000;
    by.scaling.extra.forecast.mode = config::forecast_mode::act;
    by.scaling.extra.forecast.history_ms = history_ms;
    result<policy> made = make_policy(by.scaling, by.metrics);
    EXPECT_TRUE(made.ok());
    return *made;
}

std::vector<sample> past_of(const history_span& over) {
    std::vector<sample> out;
    for (std::int64_t at_ms = over.from_ms; at_ms <= over.to_ms; at_ms += over.step_ms)
        out.push_back(value(office_at(at_ms), at_ms));
    return out;
}

std::string sentence_of(driven& one, std::int64_t at_ms, double load) {
    trace why;
    const decision made = one.look(at_ms, {value(load)}, &why);
    std::vector<step_text> texts;
    step_sink sink{.texts = &texts};
    write_steps(sink, one.by, made, why);
    for (const step_text& step : texts) {
        if (step.step == "forecast") return step.text;
    }
    return {};
}

TEST(ForecastHistory, IsOneSampleASlotUpToTheLastWholeOne) {
    driven one(with_history(3 * day_ms));
    const std::int64_t now_ms = scene::start_ms + 12'345;
    const std::optional<history_span> over = wanted_history(one.by, one.with, now_ms);
    ASSERT_TRUE(over);
    EXPECT_EQ(over->metric, 0U);
    EXPECT_EQ(over->step_ms, minute_ms);
    EXPECT_EQ(over->steps(), 3 * 1440);
    EXPECT_EQ(over->to_ms % minute_ms, 0);
    EXPECT_LT(over->to_ms, now_ms - 12'345 % minute_ms);
    EXPECT_GE(over->to_ms, now_ms - 2 * minute_ms);
    EXPECT_FALSE(wanted_history(with_history(0), one.with, now_ms));
}

TEST(ForecastHistory, LeavesNoWarmUp) {
    driven cold(with_history(0), 4);
    driven told(with_history(7 * day_ms), 4);
    const std::optional<history_span> over = wanted_history(told.by, told.with, scene::start_ms);
    ASSERT_TRUE(over);
    learn_history(told.by, told.with, *over, past_of(*over));
    EXPECT_EQ(told.with.forecast.front().history.outcome, history_outcome::read);
    EXPECT_EQ(told.with.forecast.front().history.slots, 7 * 1440);
    const double now = office_at(scene::start_ms);
    EXPECT_EQ(told.look(0, {value(now)}).forecast_state, forecast::state::on);
    EXPECT_EQ(cold.look(0, {value(now)}).forecast_state, forecast::state::warming);
    const std::string sentence = sentence_of(told, 30'000, now);
    EXPECT_NE(sentence.find("; history: 10080 values since 2027-01-08T"), std::string::npos) << sentence;
    std::int64_t raised = 0;
    for (std::int64_t at_ms = minute_ms; at_ms < day_ms; at_ms += 30'000) {
        if (told.tick(at_ms, {value(office_at(scene::start_ms + at_ms))}).limited_by == limit::forecast) ++raised;
    }
    EXPECT_GT(raised, 5) << "on the first day";
    EXPECT_FALSE(wanted_history(told.by, told.with, scene::start_ms + day_ms)) << "it has been scored";
}

TEST(ForecastHistory, SaysWhatIsMissing) {
    driven one(with_history(2 * day_ms));
    const std::optional<history_span> over = wanted_history(one.by, one.with, scene::start_ms);
    ASSERT_TRUE(over);
    std::vector<sample> past = past_of(*over);
    for (std::size_t i = 0; i < 100; ++i) past[i].state = sample_state::empty;
    past[100].value = -1;
    learn_history(one.by, one.with, *over, past);
    EXPECT_EQ(one.with.forecast.front().history.slots, 2 * 1440 - 101);
    EXPECT_EQ(one.with.forecast.front().history.missing, 101);
    learn_history(one.by, one.with, *over, {});
    EXPECT_EQ(one.with.forecast.front().history.outcome, history_outcome::empty);
    EXPECT_NE(sentence_of(one, 0, 20).find("; history: no value since "), std::string::npos);
    miss_history(one.with, *over, history_outcome::failed, status::timeout);
    const std::string failed = sentence_of(one, minute_ms, 20);
    EXPECT_NE(failed.find("; history: not read (E_TIMEOUT)"), std::string::npos) << failed;
}

// The load of a Value target is the metric times sizes, which nobody kept.
TEST(ForecastHistory, TakesTotalsOnly) {
    policy by = scene::hpa(1, 60);
    by.metrics.front().type = config::target_type::value;
    driven one(with_history(day_ms, by));
    EXPECT_FALSE(wanted_history(one.by, one.with, scene::start_ms));
    EXPECT_EQ(one.with.forecast.front().history.outcome, history_outcome::no_total);
    EXPECT_NE(sentence_of(one, 0, 20).find("the metric is no total"), std::string::npos);
}

}  // namespace
}  // namespace gputide::decide
