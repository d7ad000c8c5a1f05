// One tick: which halves run, which one wins, what the clock does.
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::decide {
namespace {

using scene::driven;
using scene::value;

TEST(Tick, NothingDueIsUnchangedAndSaysWhen) {
    driven scaler(scene::scaled_object(), 3);
    scaler.tick(0, {value(15)});
    const decision made = scaler.look(5'000, {value(500)});
    EXPECT_EQ(made.desired_replicas, 3);
    EXPECT_EQ(made.limited_by, limit::not_due);
    EXPECT_FALSE(made.executor_ran);
    EXPECT_FALSE(made.hpa_ran);
    EXPECT_EQ(made.next_due_ms, scene::start_ms + 15'000);
    EXPECT_TRUE(made.active);
}

TEST(Tick, EachHalfHasItsOwnPeriod) {
    driven scaler(scene::scaled_object(), 3);
    scaler.tick(0, {value(15)});
    const decision second = scaler.tick(15'000, {value(15)});
    EXPECT_TRUE(second.hpa_ran);
    EXPECT_FALSE(second.executor_ran);
    EXPECT_EQ(second.next_due_ms, scene::start_ms + 30'000);
    const decision third = scaler.tick(30'000, {value(15)});
    EXPECT_TRUE(third.hpa_ran);
    EXPECT_TRUE(third.executor_ran);
}

TEST(Tick, AnExecutorThatIsCalledRunsBetweenItsPeriods) {
    driven scaler(scene::scaled_object(0), 0);
    scaler.tick(0, {value(0)});
    scaler.executor_is_called = true;
    const decision called = scaler.tick(7'000, {value(100)});
    EXPECT_TRUE(called.executor_ran);
    EXPECT_FALSE(called.hpa_ran);
    EXPECT_EQ(called.desired_replicas, 1);
    EXPECT_EQ(called.next_due_ms, scene::start_ms + 15'000);
    scaler.executor_is_called = false;
    EXPECT_FALSE(scaler.tick(15'000, {value(100)}).executor_ran);
    EXPECT_TRUE(scaler.tick(30'000, {value(100)}).executor_ran) << "as without that call";

    driven other(scene::hpa(), 3);
    other.tick(0, {value(15)});
    other.executor_is_called = true;
    EXPECT_FALSE(other.look(7'000, {value(15)}).executor_ran) << "there is none";
}

// KEDA reads no metrics for a peer's word, so that none of them fails.
TEST(Tick, WhatAPeerCallsForCountsNoFailures) {
    policy rules = scene::scaled_object(0);
    rules.scaling.fallback = manifest::fallback{.failure_threshold = 1, .replicas = 6};
    rules.fallback_on = true;
    driven scaler(rules, 2);
    const sample failed = scene::no_value(sample_state::failed);
    scaler.tick(0, {failed});
    scaler.executor_is_called = true;
    for (std::int64_t at_ms = 1'000; at_ms < 15'000; at_ms += 1'000)
        EXPECT_TRUE(scaler.tick(at_ms, {failed}).executor_ran);
    EXPECT_EQ(scaler.with.health[0].failures, 1);
    EXPECT_FALSE(scaler.with.fallback_active);
    scaler.tick(30'000, {failed});
    EXPECT_EQ(scaler.with.health[0].failures, 2) << "a poll that was due";
    EXPECT_TRUE(scaler.with.fallback_active);
}

TEST(Tick, PeriodZeroMeansEveryCall) {
    policy by = scene::scaled_object();
    by.scaling.polling_interval_s = 0;
    by.scaling.extra.sync_period_ms = 0;
    driven scaler(by, 3);
    for (int i = 0; i < 3; ++i) {
        const decision made = scaler.tick(0, {value(15)});
        EXPECT_TRUE(made.hpa_ran && made.executor_ran);
        EXPECT_EQ(made.next_due_ms, scene::start_ms);
    }
}

TEST(Tick, AnHpaManifestHasNoExecutorHalf) {
    driven scaler(scene::hpa(), 3);
    const decision made = scaler.tick(0, {value(45)});
    EXPECT_FALSE(made.executor_ran);
    EXPECT_EQ(made.desired_replicas, 6);
    EXPECT_EQ(made.proposed_replicas, 9);
    EXPECT_EQ(made.limited_by, limit::scale_up_limit);
    EXPECT_EQ(made.origin, origin::hpa);
    EXPECT_EQ(made.next_due_ms, scene::start_ms + 15'000);
    EXPECT_EQ(scene::truth_of(made, condition_type::ready), truth::absent);
}

TEST(Tick, ZeroToOneAndBeyondAreTwoTicks) {
    driven scaler(scene::scaled_object(0), 0);
    const decision first = scaler.tick(0, {value(100)});
    EXPECT_EQ(first.desired_replicas, 1);
    EXPECT_EQ(first.origin, origin::executor);
    EXPECT_EQ(first.event, event::activated);
    EXPECT_FALSE(first.hpa_ran);
    EXPECT_EQ(first.next_due_ms, scene::start_ms + 15'000);
    const decision second = scaler.tick(15'000, {value(100)});
    EXPECT_TRUE(second.hpa_ran);
    EXPECT_EQ(second.desired_replicas, 4);
}

TEST(Tick, ZeroWithoutActivityStaysZero) {
    driven scaler(scene::scaled_object(0), 0);
    const decision made = scaler.tick(0, {value(0)});
    EXPECT_EQ(made.desired_replicas, 0);
    EXPECT_TRUE(made.hpa_ran);
    EXPECT_EQ(scene::reason_of(made, condition_type::scaling_active), reason::scaling_disabled);
}

TEST(Tick, ADueDeactivationBeatsTheHpa) {
    policy by = scene::scaled_object(0);
    by.metrics[0].activation_threshold = 1000;
    driven scaler(by, 3);
    scaler.with.last_active_ms = scene::start_ms - 301'000;
    const decision made = scaler.tick(0, {value(900)});
    EXPECT_EQ(made.desired_replicas, 0);
    EXPECT_EQ(made.event, event::deactivated);
    EXPECT_FALSE(made.hpa_ran);
}

TEST(Tick, CooldownHoldsWhileTheHpaStays) {
    driven scaler(scene::scaled_object(0), 1);
    scaler.with.last_active_ms = scene::start_ms - 100'000;
    const decision made = scaler.tick(0, {value(0)});
    EXPECT_EQ(made.desired_replicas, 1);
    EXPECT_EQ(made.limited_by, limit::cooldown);
    EXPECT_EQ(scene::reason_of(made, condition_type::active), reason::scaler_cooldown);
}

TEST(Tick, AnIdleWorkloadGoesToZeroAtTheFirstPoll) {
    driven scaler(scene::scaled_object(0), 10);
    EXPECT_EQ(scaler.tick(0, {value(0)}).desired_replicas, 0);
}

TEST(Tick, CreationDelaysTheFirstWayToZero) {
    policy by = scene::scaled_object(0);
    by.scaling.initial_cooldown_s = 60;
    driven scaler(by, 1);
    EXPECT_EQ(scaler.tick(0, {value(0)}).limited_by, limit::cooldown);
    EXPECT_EQ(scaler.tick(30'000, {value(0)}).desired_replicas, 1);
    EXPECT_EQ(scaler.tick(60'000, {value(0)}).desired_replicas, 0);
}

TEST(Tick, FirstSightHoldsAScaleDownForTheWholeWindow) {
    driven scaler(scene::hpa(), 10);
    EXPECT_EQ(scaler.tick(0, {value(10)}).limited_by, limit::stabilized);
    for (std::int64_t at = 15'000; at <= 300'000; at += 15'000)
        EXPECT_EQ(scaler.tick(at, {value(10)}).desired_replicas, 10);
    EXPECT_EQ(scaler.tick(315'000, {value(10)}).desired_replicas, 2);
}

TEST(Tick, OutOfBoundsIsForcedWithoutReadingMetrics) {
    driven high(scene::hpa(1, 5), 9);
    const decision down = high.tick(0, {scene::no_value(sample_state::failed)});
    EXPECT_EQ(down.desired_replicas, 5);
    EXPECT_EQ(down.limited_by, limit::max);
    EXPECT_EQ(scene::truth_of(down, condition_type::scaling_active), truth::absent);
    driven low(scene::hpa(3, 5), 1);
    EXPECT_EQ(low.tick(0, {scene::no_value(sample_state::failed)}).desired_replicas, 3);
}

TEST(Tick, ToleranceIsNamed) {
    driven scaler(scene::hpa(), 3);
    const decision made = scaler.tick(0, {value(16)});
    EXPECT_EQ(made.desired_replicas, 3);
    EXPECT_EQ(made.limited_by, limit::tolerance);
}

TEST(Tick, AFailedMetricForbidsADecision) {
    driven scaler(scene::hpa(), 3);
    const decision made = scaler.tick(0, {scene::no_value(sample_state::timeout)});
    EXPECT_EQ(made.desired_replicas, 3);
    EXPECT_EQ(made.limited_by, limit::no_data);
    EXPECT_TRUE(made.error);
    EXPECT_EQ(made.failed_metric, 0);
    EXPECT_EQ(scene::reason_of(made, condition_type::scaling_active), reason::failed_get_external_metric);
    EXPECT_TRUE(scaler.with.recommendations.size() == 1);  // only the first sight
}

TEST(Tick, AnUnreadableTargetIsLeftAlone) {
    policy by = scene::scaled_object();
    state with = make_state(by);
    observation seen;
    seen.now_ms = scene::start_ms;
    seen.scale_readable = false;
    const sample sample = value(100);
    seen.samples = {&sample, 1};
    const decision made = decide(by, with, seen);
    EXPECT_EQ(made.desired_replicas, made.current_replicas);
    EXPECT_TRUE(made.error);
    EXPECT_EQ(scene::reason_of(made, condition_type::able_to_scale), reason::failed_get_scale);
    EXPECT_EQ(scene::reason_of(made, condition_type::ready), reason::error_getting_current_replicas);
    EXPECT_FALSE(with.seen);
}

TEST(Tick, PausedWritesNothingAndForgetsTheHpa) {
    driven scaler(scene::scaled_object(), 3);
    scaler.tick(0, {value(15)});
    EXPECT_FALSE(scaler.with.recommendations.empty());
    scaler.by.scaling.pause.paused = true;
    const decision made = scaler.tick(30'000, {value(500)});
    EXPECT_EQ(made.desired_replicas, 3);
    EXPECT_EQ(made.limited_by, limit::paused);
    EXPECT_FALSE(made.hpa_ran);
    EXPECT_EQ(scene::truth_of(made, condition_type::paused), truth::yes);
    EXPECT_TRUE(scaler.with.recommendations.empty());
    EXPECT_FALSE(scaler.with.seen);
}

TEST(Tick, PausedReplicasAreWritten) {
    policy by = scene::scaled_object();
    by.scaling.pause.paused = true;
    by.scaling.pause.paused_replicas = 7;
    driven scaler(by, 3);
    const decision made = scaler.tick(0, {value(15)});
    EXPECT_EQ(made.desired_replicas, 7);
    EXPECT_EQ(made.origin, origin::executor);
    EXPECT_EQ(scaler.tick(30'000, {value(15)}).desired_replicas, 7);
}

TEST(Tick, PausedScaleInStopsTheHpaGoingDown) {
    policy by = scene::scaled_object(1, 20);
    by.scaling.pause.scale_in = true;
    result<policy> made = make_policy(by.scaling, by.metrics);
    ASSERT_TRUE(made.ok());
    driven scaler(*made, 10);
    for (std::int64_t at = 0; at <= 600'000; at += 15'000) EXPECT_EQ(scaler.tick(at, {value(5)}).desired_replicas, 10);
    EXPECT_EQ(scaler.tick(615'000, {value(60)}).desired_replicas, 12);
}

TEST(Tick, AClockSetBackMakesBothDue) {
    driven scaler(scene::scaled_object(), 3);
    scaler.tick(100'000'000, {value(15)});
    const decision made = scaler.tick(0, {value(15)});
    EXPECT_TRUE(made.executor_ran && made.hpa_ran);
}

TEST(Tick, FailuresCountWithTheExecutorHalfOnly) {
    policy by = scene::scaled_object();
    by.scaling.fallback = manifest::fallback{3, 6};
    by.fallback_on = true;
    driven scaler(by, 3);
    for (std::int64_t at = 0; at < 120'000; at += 15'000) scaler.tick(at, {scene::no_value(sample_state::failed)});
    EXPECT_EQ(scaler.with.health[0].failures, 4);
    EXPECT_EQ(scaler.replicas, 6);
    by.scaling.extra.profile = manifest::profile::strict;
    driven strict(by, 3);
    for (std::int64_t at = 0; at < 60'000; at += 15'000) strict.tick(at, {scene::no_value(sample_state::failed)});
    EXPECT_GT(strict.with.health[0].failures, 4);
}

TEST(Tick, FallbackIsNamed) {
    policy by = scene::scaled_object();
    by.scaling.fallback = manifest::fallback{0, 5};
    by.fallback_on = true;
    driven scaler(by, 3);
    const decision made = scaler.tick(0, {scene::no_value(sample_state::failed)});
    EXPECT_EQ(made.desired_replicas, 5);
    EXPECT_EQ(made.limited_by, limit::fallback);
    EXPECT_EQ(scene::truth_of(made, condition_type::fallback), truth::yes);
}

TEST(Tick, CachedMetricsAnswerTheHpaFromTheLastPoll) {
    policy by = scene::scaled_object();
    by.metrics[0].use_cached = true;
    driven scaler(by, 3);
    scaler.tick(0, {value(15)});
    EXPECT_EQ(scaler.tick(15'000, {value(60)}).desired_replicas, 3);  // HPA half alone: the poll's 15
    EXPECT_EQ(scaler.tick(30'000, {value(60)}).desired_replicas, 6);  // both halves: the new 60
}

TEST(Tick, AFormulaMakesOneMetricOfAll) {
    manifest::scaling spec = scene::scaled_object(1, 20).scaling;
    spec.modifiers = manifest::scaling_modifiers{"a + b", "5", "", manifest::target_type::average_value};
    std::vector<metric_policy> metrics = {scene::metric("s0-prometheus", 1000), scene::metric("s1-prometheus", 1000)};
    metrics[0].user_name = "a";
    metrics[1].user_name = "b";
    result<policy> by = make_policy(spec, metrics);
    ASSERT_TRUE(by.ok());
    driven scaler(*by, 3);
    const decision made = scaler.tick(0, {value(10), value(18)});
    EXPECT_EQ(made.desired_replicas, 6);
    EXPECT_EQ(made.winner, composite_metric);
    const decision failed = scaler.tick(15'000, {value(10), scene::no_value(sample_state::failed)});
    EXPECT_EQ(failed.desired_replicas, 6);
    EXPECT_EQ(failed.failure, metric_failure::formula);
    EXPECT_EQ(failed.failed_metric, composite_metric);
}

TEST(Tick, FewerSamplesThanMetricsAreFailedReads) {
    driven scaler(scene::hpa(), 3);
    const decision made = scaler.tick(0, {});
    EXPECT_EQ(made.limited_by, limit::no_data);
    EXPECT_EQ(made.failed_state, sample_state::not_given);
}

}  // namespace
}  // namespace gputide::decide
