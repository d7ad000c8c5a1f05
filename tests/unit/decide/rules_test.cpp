// The rules beyond the originals: each alone, and that none acts unless asked for.
#include "decide/rules.hpp"

#include "decide/hpa/proposals.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gputide::decide {
namespace {

using manifest::no_data_rule;
using scene::driven;
using scene::value;

TEST(SampleRules, AgeIsTooOldOnlyAboveTheLimit) {
    manifest::metric_rules rules;
    rules.max_age_ms = 60'000;
    const std::int64_t now = scene::start_ms;
    EXPECT_EQ(apply_sample_rules(rules, value(5, now - 60'000), now).value.state, sample_state::ok);
    EXPECT_EQ(apply_sample_rules(rules, value(5, now - 60'001), now).value.state, sample_state::stale);
    EXPECT_EQ(apply_sample_rules(rules, value(5, 0), now).value.state, sample_state::ok);  // age unknown
    EXPECT_EQ(apply_sample_rules({}, value(5, 1), now).value.state, sample_state::ok);     // off
}

TEST(SampleRules, NoDataIsAValueThatAQueryDidNotGive) {
    manifest::metric_rules rules;
    rules.no_data = no_data_rule::hold;
    const auto action_of = [&](const sample& sample) {
        return apply_sample_rules(rules, sample, scene::start_ms).action;
    };
    EXPECT_EQ(action_of(scene::no_value(sample_state::empty)), no_data_action::hold);
    EXPECT_EQ(action_of(scene::no_value(sample_state::not_a_number)), no_data_action::hold);
    EXPECT_EQ(action_of(scene::no_value(sample_state::auth)), no_data_action::none);
    sample zero = value(0);
    zero.null_as_zero = true;
    EXPECT_EQ(action_of(zero), no_data_action::hold);
    rules.no_data = no_data_rule::as_original;
    EXPECT_EQ(action_of(zero), no_data_action::none);
    rules.no_data = no_data_rule::zero;
    EXPECT_EQ(apply_sample_rules(rules, scene::no_value(sample_state::empty), 0).value.state, sample_state::ok);
}

TEST(NoData, HoldKeepsTheSizeAndARunningTargetActive) {
    policy by = scene::scaled_object(0);
    by.metrics[0].rules.no_data = no_data_rule::hold;
    driven running(by, 4);
    for (std::int64_t at = 0; at <= 900'000; at += 15'000) {
        EXPECT_EQ(running.tick(at, {scene::no_value(sample_state::empty)}).desired_replicas, 4);
    }
    driven resting(by, 0);
    EXPECT_EQ(resting.tick(0, {scene::no_value(sample_state::empty)}).desired_replicas, 0);
}

TEST(NoData, FallbackAnswersAtOnceAndErrorIsNeverAZero) {
    policy by = scene::scaled_object();
    by.scaling.fallback = manifest::fallback{9, 6};
    by.fallback_on = true;
    by.metrics[0].rules.no_data = no_data_rule::fallback;
    driven scaler(by, 3);
    const decision made = scaler.tick(0, {scene::no_value(sample_state::empty)});
    EXPECT_EQ(made.desired_replicas, 6);
    EXPECT_EQ(made.limited_by, limit::fallback);

    policy strict = scene::hpa();
    strict.metrics[0].rules.no_data = no_data_rule::error;
    driven other(strict, 3);
    sample zero = value(0);
    zero.null_as_zero = true;
    const decision failed = other.tick(0, {zero});
    EXPECT_EQ(failed.limited_by, limit::no_data);
    EXPECT_EQ(failed.failure, metric_failure::no_data_rule);
}

TEST(InFlight, StartingReplicasCountAsCapacity) {
    policy by = scene::hpa(1, 50, 60'000);
    by.metrics[0].type = manifest::target_type::value;
    const auto decided = [&](double mean) {
        driven scaler(by, 7);
        scaler.ready = 4;
        scaler.with.seen = true;
        return scaler.tick(0, {value(mean)}).desired_replicas;
    };
    EXPECT_EQ(decided(60 * 1.9), 8);  // off: ceil(7.6)
    EXPECT_EQ(decided(60 * 1.3), 6);
    by.scaling.extra.in_flight_guard = true;
    EXPECT_EQ(decided(60 * 1.9), 7);
    EXPECT_EQ(decided(60 * 1.3), 7);
    EXPECT_EQ(decided(60 * 2.2), 9);
    EXPECT_EQ(decided(60 * 0.5), 2);  // fewer are needed: no business of the guard
}

TEST(InFlight, ATotalNeedsNoGuard) {
    policy by = scene::hpa(1, 50);
    by.scaling.extra.in_flight_guard = true;
    driven scaler(by, 7);
    scaler.ready = 4;
    EXPECT_EQ(scaler.tick(0, {value(60)}).desired_replicas, 12);
}

TEST(Confirm, ADirectionMustRepeat) {
    policy by = scene::hpa();
    by.scaling.extra.confirm_k = 2;
    by.scaling.extra.confirm_n = 3;
    state with = make_state(by);
    EXPECT_EQ(confirm(by, with, 4, 9).replicas, 4);
    EXPECT_EQ(confirm(by, with, 4, 4).replicas, 4);
    EXPECT_EQ(confirm(by, with, 4, 8).replicas, 8);
    EXPECT_EQ(confirm(by, with, 4, 2).replicas, 4);
    EXPECT_EQ(confirm(by, with, 4, 1).replicas, 1);
    by.scaling.extra.confirm_k = 0;
    EXPECT_EQ(confirm(by, with, 4, 9).replicas, 9);
}

TEST(Confirm, AWildSampleDoesNotEnterTheHistory) {
    policy by = scene::hpa(1, 100);
    by.scaling.extra.confirm_k = 2;
    by.scaling.extra.confirm_n = 2;
    driven scaler(by, 4);
    scaler.tick(0, {value(20)});
    EXPECT_EQ(scaler.tick(15'000, {value(400)}).limited_by, limit::stabilized);
    scaler.tick(30'000, {value(20)});
    for (const recommendation& past : scaler.with.recommendations) EXPECT_EQ(past.replicas, 4);
}

TEST(Groups, MoveWhole) {
    manifest::extra_rules rules;
    EXPECT_EQ(whole_groups_up(rules, 9), 9);
    rules.group_size = 4;
    EXPECT_EQ(whole_groups_up(rules, 9), 12);
    EXPECT_EQ(whole_groups_up(rules, 8), 8);
    EXPECT_EQ(whole_groups_up(rules, 0), 0);
    EXPECT_EQ(whole_groups_up(rules, std::numeric_limits<std::int32_t>::max()),
              std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(move_by_groups(rules, 8, 11, {1, 100}), 8);
    EXPECT_EQ(move_by_groups(rules, 8, 13, {1, 100}), 12);
    EXPECT_EQ(move_by_groups(rules, 12, 9, {1, 100}), 12);
    EXPECT_EQ(move_by_groups(rules, 12, 8, {1, 100}), 8);
    EXPECT_EQ(move_by_groups(rules, 4, 2, {2, 100}), 4);
}

TEST(Groups, ThroughAWholeTick) {
    policy by = scene::hpa(4, 64);
    by.scaling.extra.group_size = 4;
    driven scaler(by, 8);
    EXPECT_EQ(scaler.tick(0, {value(45)}).desired_replicas, 12);
    EXPECT_EQ(scaler.tick(15'000, {value(62)}).desired_replicas, 12);  // 12.4 is within the tolerance
}

TEST(Budget, IsOneMoreUpperBound) {
    manifest::extra_rules rules;
    EXPECT_EQ(affordable_replicas(rules), std::numeric_limits<std::int32_t>::max());
    rules.gpus_per_replica_milli = 4000;
    rules.max_gpus_milli = 10'000;
    EXPECT_EQ(affordable_replicas(rules), 2);
    rules = {};
    rules.gpus_per_replica_milli = 2000;
    rules.cost_per_gpu_hour = 3.6;
    rules.max_cost_per_hour = 30;
    EXPECT_EQ(affordable_replicas(rules), 4);
    rules.gpus_per_replica_milli = 1000;
    rules.cost_per_gpu_hour = 0.1;
    rules.max_cost_per_hour = 0.3;
    EXPECT_EQ(affordable_replicas(rules), 3);
}

TEST(Capacity, IsNamedWhereAPartOfTheSizeHasNoNode) {
    driven scaler(scene::hpa(1, 20), 8);
    scaler.startable = 5;
    const decision within = scaler.tick(0, {value(40)});
    EXPECT_EQ(within.desired_replicas, 8) << "the size stays wanted";
    EXPECT_EQ(within.limited_by, limit::no_capacity);
    const decision at_max = scaler.tick(15'000, {value(500)});
    EXPECT_EQ(at_max.desired_replicas, 16) << "the legacy rate";
    EXPECT_EQ(at_max.limited_by, limit::scale_up_limit) << "which holds the size below what the nodes are asked for";
    scaler.tick(30'000, {value(500)});
    EXPECT_EQ(scaler.tick(45'000, {value(500)}).limited_by, limit::no_capacity) << "at the maximum of 20, too";
    scaler.startable = 20;
    EXPECT_EQ(scaler.tick(60'000, {value(500)}).limited_by, limit::max) << "all have nodes";
}

TEST(Capacity, AsksBackAtOnceAndDownToTheMinimum) {
    driven scaler(scene::hpa(3, 20), 8);
    scaler.startable = 5;
    scaler.asks_back = true;
    const decision asked = scaler.look(0, {value(40)});
    EXPECT_EQ(asked.desired_replicas, 5) << "before the window of a scale-down, as above a maximum";
    EXPECT_EQ(asked.limited_by, limit::no_capacity);
    scaler.tick(0, {value(40)});
    const decision held = scaler.tick(15'000, {value(40)});
    EXPECT_EQ(held.desired_replicas, 5);
    EXPECT_EQ(held.limited_by, limit::no_capacity);
    scaler.startable = 0;
    EXPECT_EQ(scaler.tick(30'000, {value(40)}).desired_replicas, 3);
    scaler.startable = -1;
    EXPECT_EQ(scaler.tick(45'000, {value(40)}).desired_replicas, 6) << "asked for again, at the legacy rate";
}

TEST(Capacity, NeverAsksBackTheLastReplica) {
    driven scaler(scene::scaled_object(0, 20), 1);
    scaler.startable = 0;
    scaler.asks_back = true;
    const decision made = scaler.tick(0, {value(4)});
    EXPECT_EQ(made.desired_replicas, 1);
    EXPECT_EQ(made.limited_by, limit::no_capacity);
}

TEST(Budget, IsNamedAndTheMinimumStays) {
    policy by = scene::hpa(3, 20);
    by.scaling.extra.max_gpus_milli = 5000;
    driven scaler(by, 4);
    const decision made = scaler.tick(0, {value(100)});
    EXPECT_EQ(made.desired_replicas, 5);
    EXPECT_EQ(made.limited_by, limit::budget);
    scaler.by.scaling.extra.max_gpus_milli = 2000;
    EXPECT_EQ(scaler.tick(15'000, {value(100)}).desired_replicas, 3);
}

}  // namespace
}  // namespace gputide::decide
