// The executor's table: every row, the outcomes by example, and the edges of time.
#include "decide/keda/executor.hpp"

#include "evaluate.hpp"

#include <gtest/gtest.h>

namespace {

using namespace test;

constexpr std::int64_t now_ms = 1'700'000'000'000;

struct example {
    const char* name;
    bool active;
    bool error;
    std::optional<std::int32_t> fallback_replicas;
    std::int32_t replicas;
    std::int32_t min;
    std::optional<std::int32_t> idle;
    std::optional<std::int32_t> age_s;  // since the last activity
    std::optional<std::int32_t> write;
};

policy policy_of(const example& entry) {
    policy out;
    out.scaling.min = entry.min;
    out.scaling.idle = entry.idle;
    if (entry.fallback_replicas) out.scaling.fallback = manifest::fallback{3, *entry.fallback_replicas};
    return out;
}

executor_input input_of(const example& entry) {
    executor_input in;
    in.now_ms = now_ms;
    in.created_ms = now_ms - 100'000'000;
    if (entry.age_s) in.last_active_ms = now_ms - std::int64_t{*entry.age_s} * 1000;
    in.replicas = entry.replicas;
    in.triggers = {entry.active, entry.error};
    return in;
}

TEST(Executor, WritesByExample) {
    constexpr auto none = std::nullopt;
    const example examples[] = {
        {"never active", false, false, none, 10, 0, none, none, 0},
        {"a second before the cooldown ends", false, false, none, 10, 0, none, 299, none},
        {"equality still cools down", false, false, none, 10, 0, none, 300, none},
        {"a second after", false, false, none, 10, 0, none, 301, 0},
        {"below the minimum", false, false, none, 1, 5, none, none, 5},
        {"to idle", false, false, none, 10, 5, 0, 301, 0},
        {"the HPA shrinks it", false, false, none, 3, 2, none, none, none},
        {"from 0", true, false, none, 0, 0, none, none, 1},
        {"from 0 to the minimum", true, false, none, 0, 3, none, none, 3},
        {"from idle to the minimum", true, false, none, 2, 5, 0, none, 5},
        {"left to the HPA", true, false, none, 2, 5, none, none, none},
        {"activation before an error", true, true, none, 0, 0, none, none, 1},
        {"an error holds the size", false, true, none, 4, 0, none, 9999, none},
        {"an error waits for the fallback", false, true, 3, 4, 0, none, 9999, none},
        {"fallback to 0", false, true, 0, 4, 0, none, 9999, 0},
        {"an error blocks the minimum", false, true, none, 0, 5, none, none, none},
        {"fallback to 0 still raises to the minimum", false, true, 0, 0, 5, none, none, 5},
    };
    for (const example& entry : examples)
        EXPECT_EQ(run_executor(policy_of(entry), input_of(entry)).write, entry.write) << entry.name;
}

executor_input running(std::int32_t replicas, bool active, bool error = false) {
    executor_input in;
    in.now_ms = now_ms;
    in.created_ms = now_ms - 1'000'000;
    in.replicas = replicas;
    in.triggers = {active, error};
    return in;
}

TEST(Executor, UnreadableSizeEndsAll) {
    policy by;
    by.scaling.pause.paused = true;
    executor_input in = running(3, true);
    in.replicas_readable = false;
    const executor_outcome out = run_executor(by, in);
    EXPECT_EQ(out.row, executor_row::p0);
    EXPECT_EQ(out.ready.truth, truth::no);
    EXPECT_EQ(out.ready.reason, reason::error_getting_current_replicas);
    EXPECT_EQ(out.active.truth, truth::absent);
    EXPECT_FALSE(out.write);
}

TEST(Executor, PauseBeatsForcedActivation) {
    policy by;
    by.scaling.pause.paused = by.scaling.pause.force_activation = true;
    const executor_outcome out = run_executor(by, running(0, true));
    EXPECT_EQ(out.row, executor_row::p1);
    EXPECT_EQ(out.paused.truth, truth::yes);
    EXPECT_EQ(out.active.truth, truth::absent);
    EXPECT_FALSE(out.write);
}

TEST(Executor, PausedCountIsWrittenWhereItDiffers) {
    policy by;
    by.scaling.pause.paused_replicas = 2;
    EXPECT_EQ(paused_write(by, 5), std::nullopt) << "the count alone does not pause";
    by.scaling.pause.paused = true;
    EXPECT_EQ(paused_write(by, 5), 2);
    EXPECT_EQ(paused_write(by, 2), std::nullopt);
}

TEST(Executor, ActivationRefreshesOnlyOnceWritten) {
    const executor_outcome out = run_executor({}, running(0, true, true));
    EXPECT_EQ(out.row, executor_row::a2);
    EXPECT_TRUE(out.refresh_on_apply);
    EXPECT_FALSE(out.refresh_now);
    EXPECT_EQ(out.event, event::activated);
    EXPECT_EQ(out.event_on_failure, event::activation_failed);
    EXPECT_EQ(out.ready.truth, truth::yes) << "an error elsewhere does not show";
}

TEST(Executor, PartialErrorRefreshesOnlyWhereAsked) {
    policy by;
    const executor_outcome out = run_executor(by, running(2, true, true));
    EXPECT_EQ(out.row, executor_row::a3);
    EXPECT_FALSE(out.refresh_now);
    EXPECT_EQ(out.ready.truth, truth::unknown);
    EXPECT_EQ(out.ready.reason, reason::partial_trigger_error);
    by.scaling.extra.refresh_on_partial_error = true;
    EXPECT_TRUE(run_executor(by, running(2, true, true)).refresh_now);
}

TEST(Executor, SteadyActivityRefreshes) {
    const executor_outcome out = run_executor({}, running(2, true));
    EXPECT_EQ(out.row, executor_row::a4);
    EXPECT_TRUE(out.refresh_now);
}

TEST(Executor, PausedDirections) {
    policy by;
    by.scaling.pause.scale_out = by.scaling.pause.scale_in = true;
    EXPECT_EQ(run_executor(by, running(0, true)).row, executor_row::a1);
    EXPECT_EQ(run_executor(by, running(3, false)).row, executor_row::i4);
    by.scaling.min = 5;
    EXPECT_EQ(run_executor(by, running(3, false)).write, 5) << "neither blocks the raise to the minimum";
}

TEST(Executor, PausedScaleInComesBeforeTheCooldown) {
    policy by;
    by.scaling.pause.scale_in = true;
    executor_input in = running(3, false);
    in.last_active_ms = now_ms - 1000;
    EXPECT_EQ(run_executor(by, in).active.reason, reason::scaler_not_active);
}

TEST(Executor, ErrorsWithAndWithoutFallback) {
    policy by;
    EXPECT_EQ(run_executor(by, running(3, false, true)).row, executor_row::i2);
    EXPECT_EQ(run_executor(by, running(3, false, true)).ready.reason, reason::trigger_error);
    by.scaling.fallback = manifest::fallback{3, 2};
    EXPECT_EQ(run_executor(by, running(3, false, true)).row, executor_row::i1);
    EXPECT_EQ(run_executor(by, running(3, false, true)).ready.truth, truth::yes);
}

TEST(Executor, CooldownIsStrictToTheMillisecond) {
    executor_input in = running(3, false);
    in.last_active_ms = now_ms - 300'000;
    EXPECT_EQ(run_executor({}, in).row, executor_row::i3_cooldown);
    EXPECT_EQ(run_executor({}, in).cooldown_left_ms, 1);
    in.now_ms += 1;
    EXPECT_EQ(run_executor({}, in).row, executor_row::i3);
    EXPECT_EQ(run_executor({}, in).write, 0);
}

TEST(Executor, TimesAreWholeSeconds) {
    EXPECT_EQ(whole_seconds_ms(1999), 1000);
    EXPECT_EQ(whole_seconds_ms(2000), 2000);
    EXPECT_EQ(whole_seconds_ms(-1), -1000);
    executor_input in = running(3, false);
    in.last_active_ms = now_ms + 999;  // kept as now_ms
    in.now_ms = now_ms + 300'001;
    EXPECT_EQ(run_executor({}, in).row, executor_row::i3);
}

TEST(Executor, InitialCooldownCountsWhileNeverActive) {
    policy by;
    by.scaling.initial_cooldown_s = 120;
    executor_input in = running(3, false);
    in.created_ms = now_ms - 120'000;
    EXPECT_EQ(run_executor(by, in).row, executor_row::i3_cooldown);
    in.last_active_ms = now_ms - 400'000;
    EXPECT_EQ(run_executor(by, in).row, executor_row::i3) << "ignored as soon as there was activity";
}

TEST(Executor, GradualModeLeavesTheWayDownToTheHpa) {
    policy by;
    by.scaling.extra.gradual_scale_to_zero = true;
    EXPECT_EQ(run_executor(by, running(2, false)).row, executor_row::i3_gradual);
    EXPECT_EQ(run_executor(by, running(1, false)).write, 0);
    by.scaling.min = 4;
    by.scaling.idle = 0;
    EXPECT_EQ(run_executor(by, running(5, false)).row, executor_row::i3_gradual);
    EXPECT_EQ(run_executor(by, running(4, false)).write, 0);
}

TEST(Executor, RowsHaveTheirNames) {
    EXPECT_STREQ(executor_row_name(executor_row::p0), "P0");
    EXPECT_STREQ(executor_row_name(executor_row::a4), "A4");
    EXPECT_STREQ(executor_row_name(executor_row::i3_gradual), "I3 (gradual)");
    EXPECT_STREQ(executor_row_name(executor_row::i6), "I6");
}

using namespace test;

passed_metric passed(bool active, bool error = false) {
    passed_metric out;
    out.active = active;
    out.error = error;
    return out;
}

TEST(Activity, OneActiveTriggerIsEnough) {
    const policy by = made({}, {external("a"), external("b", 1)});
    const passed_metric metrics[] = {passed(false), passed(true)};
    const activity got = activity_of(by, metrics, {});
    EXPECT_TRUE(got.active);
    EXPECT_FALSE(got.error);
}

TEST(Activity, AnErrorStandsBesideActivity) {
    const policy by = made({}, {external("a"), external("b", 1)});
    const passed_metric metrics[] = {passed(true), passed(true, true)};
    EXPECT_TRUE(activity_of(by, metrics, {}).active);
    EXPECT_TRUE(activity_of(by, metrics, {}).error);
    const passed_metric failed[] = {passed(false), passed(true, true)};
    EXPECT_FALSE(activity_of(by, failed, {}).active) << "a trigger in error is not active";
}

TEST(Activity, ResourcesAloneKeepTheObjectActive) {
    const policy by = made({}, {cpu()});
    const passed_metric metrics[] = {passed(false)};
    EXPECT_TRUE(activity_of(by, metrics, {}).active);
    const policy mixed = made({}, {cpu(), external("a", 1)});
    const passed_metric both[] = {passed(true), passed(false)};
    EXPECT_FALSE(activity_of(mixed, both, {}).active) << "beside another trigger they say nothing";
    EXPECT_FALSE(activity_of(made({}, {}), {}, {}).active) << "nothing at all is not active";
}

TEST(Activity, TheCompositeAloneDecides) {
    const policy by = made(modified("a"), {external("a")});
    const passed_metric metrics[] = {passed(true)};
    EXPECT_FALSE(activity_of(by, metrics, composite_of_value(by, composite_state::formula, 0)).active);
    const passed_metric quiet[] = {passed(false)};
    EXPECT_TRUE(activity_of(by, quiet, composite_of_value(by, composite_state::formula, 1)).active);
    const passed_metric failed[] = {passed(false, true)};
    EXPECT_FALSE(activity_of(by, failed, composite_of_value(by, composite_state::formula, 1)).active);
}

TEST(Activity, AFailedFormulaIsAnErrorUnlessStrict) {
    const passed_metric metrics[] = {passed(true)};
    formula_result nothing;
    nothing.failure.error = formula_error::divide_by_zero;
    const policy by = made(modified("a"), {external("a")});
    EXPECT_TRUE(activity_of(by, metrics, composite_of_result(by, nothing)).error);
    const policy keda = made(strict(modified("a")), {external("a")});
    EXPECT_FALSE(activity_of(keda, metrics, composite_of_result(keda, nothing)).error);
    EXPECT_FALSE(activity_of(keda, metrics, composite_of_result(keda, nothing)).active);
}

}  // namespace
