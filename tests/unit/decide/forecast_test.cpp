// gputide.io/forecast in the decision: observe changes nothing, act raises and says so, the shadow pays, a state goes on.
#include "decide/forecast/history.hpp"
#include "decide/hpa/pass.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/texts.hpp"
#include "decide/trace/trace.hpp"
#include "forecast/series.hpp"
#include "forecast_scene.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gputide::decide {

namespace {

using scene::day_ms;
using scene::driven;
using scene::office_at;
using scene::pass_ms;
using scene::value;
using scene::with_forecast;

TEST(ForecastInADecision, ObserveChangesNoDecision) {
    driven off(with_forecast(manifest::forecast_mode::off), 4);
    driven observed(with_forecast(manifest::forecast_mode::observe), 4);
    bool would_raise = false;
    for (std::int64_t at_ms = 0; at_ms < 3 * day_ms; at_ms += pass_ms) {
        const decision a = off.tick(at_ms, {value(office_at(at_ms))});
        const decision b = observed.tick(at_ms, {value(office_at(at_ms))});
        ASSERT_EQ(a.desired_replicas, b.desired_replicas) << at_ms;
        ASSERT_EQ(a.limited_by, b.limited_by) << at_ms;
        ASSERT_EQ(a.proposed_replicas, b.proposed_replicas) << at_ms;
        would_raise = would_raise || b.forecast_need > b.desired_replicas;
    }
    EXPECT_TRUE(would_raise);
    EXPECT_EQ(forecast::spent(observed.with.forecast.front().memory.account), 0);
}

TEST(ForecastInADecision, ActRaisesBeforeTheRampAndBooksIt) {
    driven reactive(with_forecast(manifest::forecast_mode::off), 4);
    driven ahead(with_forecast(manifest::forecast_mode::act), 4);
    std::int64_t raised = 0;
    for (std::int64_t at_ms = 0; at_ms < 4 * day_ms; at_ms += pass_ms) {
        const decision a = reactive.tick(at_ms, {value(office_at(at_ms))});
        const decision b = ahead.tick(at_ms, {value(office_at(at_ms))});
        ASSERT_GE(b.desired_replicas, a.desired_replicas - 2) << at_ms;
        if (b.limited_by == limit::forecast) ++raised;
        ASSERT_EQ(ahead.with.forecast.front().shadow_replicas, a.desired_replicas) << at_ms;
    }
    EXPECT_GT(raised, 20);
    const double extra = forecast::spent(ahead.with.forecast.front().memory.account);
    EXPECT_GT(extra, 0);
    EXPECT_LT(extra, 0.06);
}

TEST(ForecastInADecision, SaysItsSumInTheTrace) {
    driven scaler(with_forecast(manifest::forecast_mode::act), 4);
    std::vector<step_text> texts;
    for (std::int64_t at_ms = 0; at_ms < 4 * day_ms; at_ms += pass_ms) {
        trace why;
        decision made = scaler.look(at_ms, {value(office_at(at_ms))}, &why);
        scaler.replicas = made.desired_replicas;
        const bool alone = made.proposed_replicas <= made.current_replicas;
        if (made.limited_by != limit::forecast || made.desired_replicas <= made.current_replicas || !alone) continue;
        EXPECT_TRUE(why.forecast.ran);
        EXPECT_EQ(why.forecast.floor.reason, forecast::floor_reason::raised);
        EXPECT_EQ(why.hpa.floored, made.desired_replicas);
        EXPECT_EQ(rescale_reason(scaler.by, made),
                  "the forecast load needs " + std::to_string(made.forecast_need) + " replicas");
        std::string buffer;
        const std::string_view able = condition_message(scaler.by, made, condition_type::able_to_scale, {}, buffer);
        EXPECT_NE(able.find("; the forecast load needs "), std::string::npos) << able;
        step_sink sink{.texts = &texts};
        write_steps(sink, scaler.by, made, why);
        break;
    }
    std::string sentence;
    for (const step_text& step : texts) {
        if (step.step == "forecast") sentence = step.text;
    }
    for (const char* part :
         {"forecast: ", " min), now ", "; upper edge ", " % of the last day, error ", ", with the last value ",
          "; extra cost ", " % (budget 5 %)", "; floor load ", " at target 5 → ", "; reactive "}) {
        EXPECT_NE(sentence.find(part), std::string::npos) << part << " in " << sentence;
    }
}

TEST(ForecastInADecision, ASaveAndLoadAtAnyStepChangesNothing) {
    driven whole(with_forecast(manifest::forecast_mode::act), 4);
    driven cut(with_forecast(manifest::forecast_mode::act), 4);
    for (std::int64_t at_ms = 0; at_ms < 2 * day_ms; at_ms += pass_ms) {
        const decision a = whole.tick(at_ms, {value(office_at(at_ms))});
        const decision b = cut.tick(at_ms, {value(office_at(at_ms))});
        ASSERT_EQ(a.desired_replicas, b.desired_replicas) << at_ms;
        ASSERT_EQ(a.forecast_need, b.forecast_need) << at_ms;
        if (at_ms % (97 * pass_ms) != 0) continue;
        result<state> again = load_state(cut.by, save_state(cut.by, cut.with));
        ASSERT_TRUE(again.ok()) << again.failure().message;
        cut.with = *std::move(again);
    }
    EXPECT_EQ(save_state(whole.by, whole.with), save_state(cut.by, cut.with));
}

TEST(ForecastInADecision, AnotherQuestionStartsAnewAndAnotherLeadKeepsPatterns) {
    driven scaler(with_forecast(manifest::forecast_mode::act), 4);
    for (std::int64_t at_ms = 0; at_ms < day_ms; at_ms += pass_ms) scaler.tick(at_ms, {value(office_at(at_ms))});
    const std::string text = save_state(scaler.by, scaler.with);

    policy other = scene::hpa(1, 60);
    other.metrics.front().query_sum = 7;
    const result<state> anew = load_state(with_forecast(manifest::forecast_mode::act, other), text);
    ASSERT_TRUE(anew.ok());
    EXPECT_FALSE(anew->forecast.front().memory.open.begun);

    policy later = scene::hpa(1, 60);
    later.scaling.extra.forecast.lead_ms = 600'000;
    const result<state> kept = load_state(with_forecast(manifest::forecast_mode::act, later), text);
    ASSERT_TRUE(kept.ok());
    EXPECT_EQ(kept->forecast.front().memory.day.means, scaler.with.forecast.front().memory.day.means);
    EXPECT_EQ(kept->forecast.front().memory.score.scored, 0);

    const result<state> without = load_state(with_forecast(manifest::forecast_mode::off), text);
    ASSERT_TRUE(without.ok());
    EXPECT_TRUE(without->forecast.empty());
}

TEST(ForecastInADecision, NothingStartsFromZeroAndAFailedMetricIsNoFloor) {
    driven scaler(with_forecast(manifest::forecast_mode::act), 4);
    std::int64_t at_ms = 0;
    for (; at_ms < 2 * day_ms + 8 * 3'600'000; at_ms += pass_ms) scaler.tick(at_ms, {value(office_at(at_ms))});
    const decision failed = scaler.look(at_ms, {scene::no_value(sample_state::timeout)});
    EXPECT_EQ(failed.desired_replicas, scaler.replicas);
    EXPECT_EQ(failed.limited_by, limit::no_data);
    scaler.replicas = 0;
    const decision off = scaler.tick(at_ms + pass_ms, {value(office_at(at_ms))});
    EXPECT_EQ(off.desired_replicas, 0);
}

TEST(ForecastInADecision, TheMetricMustHaveATargetOfItsOwn) {
    policy by = scene::hpa(1, 60);
    by.scaling.extra.forecast.mode = manifest::forecast_mode::act;
    by.scaling.extra.forecast.metric = "nobody";
    const result<policy> made = make_policy(by.scaling, by.metrics);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.failure().where.path, "gputide.io/forecast-metric");
    EXPECT_NE(made.failure().message.find("s0-prometheus"), std::string::npos);
}

// Returns the load to serve in total, by the target's type.
TEST(ForecastLoad, IsTotalWhateverTheTarget) {
    policy by = with_forecast(manifest::forecast_mode::act);
    observation seen;
    seen.now_ms = scene::start_ms;
    seen.spec_replicas = 10;
    seen.ready_replicas = 8;
    const std::vector<sample> samples{value(84)};
    seen.samples = samples;
    state with = make_state(by);
    readings read(by);
    read_for_hpa(by, with, seen, read);
    EXPECT_EQ(load_of(by, seen, read, {}), 84);
    by.metrics.front().type = manifest::target_type::value;
    EXPECT_EQ(load_of(by, seen, read, {}), 84 * 8);
    by.metrics.front().kind = metric_kind::resource;
    by.metrics.front().type = manifest::target_type::utilization;
    proposal made;
    made.metric = 0;
    made.utilization_pct = 84;
    EXPECT_EQ(load_of(by, seen, read, {&made, 1}), 84 * 8);
    by.metrics.front().kind = metric_kind::pods;
    by.metrics.front().type = manifest::target_type::average_value;
    made.total_milli = 12'500;
    EXPECT_EQ(load_of(by, seen, read, {&made, 1}), 12.5);
    made.failure = metric_failure::no_metrics;
    EXPECT_TRUE(forecast::is_none(load_of(by, seen, read, {&made, 1})));
    EXPECT_TRUE(forecast::is_none(load_of(by, seen, read, {})));
}

}  // namespace

namespace {

using scene::day_ms;
using scene::driven;
using scene::minute_ms;
using scene::office_at;
using scene::value;

policy with_history(std::int64_t history_ms, policy by = scene::hpa(1, 60)) {
    by.scaling.extra.sync_period_ms = 30'000;
    by.scaling.extra.forecast.mode = manifest::forecast_mode::act;
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

std::string sentence_of(driven& scaler, std::int64_t at_ms, double load) {
    trace why;
    const decision made = scaler.look(at_ms, {value(load)}, &why);
    std::vector<step_text> texts;
    step_sink sink{.texts = &texts};
    write_steps(sink, scaler.by, made, why);
    for (const step_text& step : texts) {
        if (step.step == "forecast") return step.text;
    }
    return {};
}

TEST(ForecastHistory, IsOneSampleASlotUpToTheLastWholeOne) {
    driven scaler(with_history(3 * day_ms));
    const std::int64_t now_ms = scene::start_ms + 12'345;
    const std::optional<history_span> over = wanted_history(scaler.by, scaler.with, now_ms);
    ASSERT_TRUE(over);
    EXPECT_EQ(over->metric, 0U);
    EXPECT_EQ(over->step_ms, minute_ms);
    EXPECT_EQ(over->steps(), 3 * 1440);
    EXPECT_EQ(over->to_ms % minute_ms, 0);
    EXPECT_LT(over->to_ms, now_ms - 12'345 % minute_ms);
    EXPECT_GE(over->to_ms, now_ms - 2 * minute_ms);
    EXPECT_FALSE(wanted_history(with_history(0), scaler.with, now_ms));
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
    driven scaler(with_history(2 * day_ms));
    const std::optional<history_span> over = wanted_history(scaler.by, scaler.with, scene::start_ms);
    ASSERT_TRUE(over);
    std::vector<sample> past = past_of(*over);
    for (std::size_t i = 0; i < 100; ++i) past[i].state = sample_state::empty;
    past[100].value = -1;
    learn_history(scaler.by, scaler.with, *over, past);
    EXPECT_EQ(scaler.with.forecast.front().history.slots, 2 * 1440 - 101);
    EXPECT_EQ(scaler.with.forecast.front().history.missing, 101);
    learn_history(scaler.by, scaler.with, *over, {});
    EXPECT_EQ(scaler.with.forecast.front().history.outcome, history_outcome::empty);
    EXPECT_NE(sentence_of(scaler, 0, 20).find("; history: no value since "), std::string::npos);
    miss_history(scaler.with, *over, history_outcome::failed, status::timeout);
    const std::string failed = sentence_of(scaler, minute_ms, 20);
    EXPECT_NE(failed.find("; history: not read (E_TIMEOUT)"), std::string::npos) << failed;
}

// The load of a Value target is the metric times sizes, which were not kept.
TEST(ForecastHistory, TakesTotalsOnly) {
    policy by = scene::hpa(1, 60);
    by.metrics.front().type = manifest::target_type::value;
    driven scaler(with_history(day_ms, by));
    EXPECT_FALSE(wanted_history(scaler.by, scaler.with, scene::start_ms));
    EXPECT_EQ(scaler.with.forecast.front().history.outcome, history_outcome::no_total);
    EXPECT_NE(sentence_of(scaler, 0, 20).find("the metric is not a total"), std::string::npos);
}

}  // namespace

}  // namespace gputide::decide
