// The formulas alone, at their edges.  The bulk of cases is in tests/cases/hpa-*.json.
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/saturate.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::decide {
namespace {

constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t most64 = std::numeric_limits<std::int64_t>::max();

TEST(Saturate, StopsAtTheBoundsOfWholeNumbers) {
    EXPECT_EQ(to_int32(3e9), most);
    EXPECT_EQ(to_int32(-3e9), least);
    EXPECT_EQ(to_int32(2147483646.9), 2147483646);
    EXPECT_EQ(to_int32(-2.9), -2);
    EXPECT_EQ(to_int32(std::nan("")), 0);
    EXPECT_EQ(to_int32(std::int64_t{5'000'000'000}), most);
    EXPECT_EQ(to_int64(1e300), most64);
    EXPECT_EQ(ceil_replicas(5.04), 6);
    EXPECT_EQ(ceil_replicas(-0.5), 0);
    EXPECT_EQ(ceil_replicas(HUGE_VAL), most);
}

TEST(Tolerance, BothEndsAreWithin) {
    const tolerance band = tolerance_band(0.1, 0.1);
    EXPECT_TRUE(within(band, 1.1));
    EXPECT_TRUE(within(band, 0.9));
    EXPECT_FALSE(within(band, std::nextafter(1.1, 2.0)));
    EXPECT_FALSE(within(band, std::nextafter(0.9, 0.0)));
    EXPECT_FALSE(within(band, std::nan("")));
}

TEST(Tolerance, OwnThresholdsReplaceASideEach) {
    metric_policy metric = scene::metric("util", 60'000);
    metric.rules.scale_up_above = 80.0;
    metric.rules.scale_down_below = 30.0;
    const tolerance band = tolerance_of(metric, {});
    EXPECT_EQ(average_replicas(280'000, 60'000, 4, band).replicas, 4);  // mean 70
    EXPECT_EQ(average_replicas(320'000, 60'000, 4, band).replicas, 4);  // exactly 80
    EXPECT_EQ(average_replicas(336'000, 60'000, 4, band).replicas, 6);  // 84
    EXPECT_EQ(average_replicas(119'000, 60'000, 4, band).replicas, 2);  // below 30
}

TEST(ReplicasExternal, AverageAtZeroReplicas) {
    EXPECT_EQ(average_replicas(12'000, 5000, 0, {}).replicas, 3);
    EXPECT_EQ(average_replicas(12'000, 5000, 0, {}).usage_milli, 0);
    EXPECT_EQ(average_replicas(0, 5000, 0, {}).replicas, 0);  // 0 / 0 is NaN, and never within
}

TEST(ReplicasExternal, SaturatesInsteadOfScalingToMin) {
    EXPECT_EQ(average_replicas(most64, 1, 10, {}).replicas, most);
    EXPECT_EQ(value_replicas(most64, 1, 10, {10, true}, {}).replicas, most);
    EXPECT_EQ(value_replicas(-most64, 1, 10, {10, true}, {}).replicas, least);
}

TEST(ReplicasExternal, ValueCountsReadyPodsOnly) {
    EXPECT_EQ(value_replicas(8600, 4400, 3, {1, true}, {}).replicas, 2);
    EXPECT_EQ(value_replicas(90'000, 5000, 4, {0, true}, {}).replicas, 0);
    EXPECT_EQ(value_replicas(90'000, 5000, 4, {0, false}, {}).failure, metric_failure::no_pods);
    EXPECT_EQ(value_replicas(5000, 5000, 4, {0, false}, {}).replicas, 4);  // within: no pods are counted
}

TEST(ReplicasPods, MoreThanTheStackHoldsAndSamplesOfUnknownPods) {
    std::vector<pod> pods(1000);
    std::vector<pod_sample> samples;
    samples.reserve(1002);
    for (std::int32_t i = 0; i < 1000; ++i) samples.push_back({0, i, 20'000});
    samples.push_back({0, 7000, 20'000});
    samples.push_back({1, 3, 900'000});  // of another metric
    const proposal made = pods_average({pods, samples, 0, false, 1000, {}, {scene::start_ms}}, 10'000);
    EXPECT_EQ(made.replicas, 2000);
    EXPECT_EQ(made.usage_milli, 20'000);
}

TEST(ReplicasPods, MissingRequestNamesThePod) {
    const std::vector<pod> pods(3);
    const std::vector<pod_sample> samples = {{0, 0, 100, 1000}, {0, 1, 100, 1000}, {0, 2, 100}};
    const proposal made = resource_utilization({pods, samples, 0, false, 3, {}, {scene::start_ms}}, 50);
    EXPECT_EQ(made.failure, metric_failure::missing_request);
    EXPECT_EQ(made.pod, 2);
}

proposal asks_for(std::int32_t replicas) {
    proposal out;
    out.replicas = replicas;
    return out;
}

proposal fails() {
    proposal out;
    out.failure = metric_failure::read;
    return out;
}

TEST(Combine, LargestWinsAndTiesGoToTheEarlier) {
    const proposal metrics[] = {asks_for(3), asks_for(7), asks_for(7)};
    const combined made = combine_proposals(metrics, 5);
    EXPECT_TRUE(made.valid);
    EXPECT_EQ(made.replicas, 7);
    EXPECT_EQ(made.winner, 1);
}

TEST(Combine, AFailureForbidsGoingDownOnly) {
    const proposal lower[] = {fails(), asks_for(3)};
    EXPECT_FALSE(combine_proposals(lower, 5).valid);
    EXPECT_TRUE(combine_proposals(lower, 3).valid);
    const proposal none[] = {fails(), fails()};
    EXPECT_FALSE(combine_proposals(none, 0).valid);
    EXPECT_EQ(combine_proposals(none, 0).first_failed, 0);
    EXPECT_FALSE(combine_proposals({}, 0).valid);
}

TEST(Stabilize, BoundaryCountsWithoutBehaviorAndNotWithIt) {
    const std::int64_t now = scene::start_ms;
    const auto history_of_8_at = [](std::int64_t time_ms) {
        recommendation_history out;
        out.push_back({8, time_ms});
        return out;
    };
    recommendation_history history = history_of_8_at(now - 300'000);
    EXPECT_EQ(stabilize_legacy(history, 3, 300, now).replicas, 8);
    history = history_of_8_at(now - 300'000);
    EXPECT_EQ(stabilize(history, 8, 3, 0, 300, now).replicas, 3);
    history = history_of_8_at(now - 299'999);
    const stabilized held = stabilize(history, 8, 3, 0, 300, now);
    EXPECT_EQ(held.replicas, 8);
    EXPECT_EQ(held.held_by, 8);
    EXPECT_EQ(last_recommended_ms(history, held.held_by), now - 299'999);
    EXPECT_EQ(last_recommended_ms(history, 77), absent);
}

TEST(Stabilize, AFullHistoryKeepsItsAnswers) {
    recommendation_history history;
    for (std::size_t i = 0; i < max_recommendations; ++i) {
        history.push_back({static_cast<std::int32_t>(10 + i % 5), scene::start_ms + static_cast<std::int64_t>(i)});
    }
    const std::int64_t now = scene::start_ms + static_cast<std::int64_t>(max_recommendations);
    const stabilized made = stabilize(history, 12, 11, 3600, 3600, now);
    EXPECT_EQ(made.replicas, 12);  // 10..14 are recent: nothing moves
    EXPECT_LT(history.size(), 20U);
    EXPECT_EQ(stabilize(history, 20, 11, 0, 3600, now + 1).replicas, 14);
}

TEST(Events, AFullListMergesItsOldest) {
    manifest::scaling_rules rules;
    rules.policies = {{manifest::policy_type::pods, 4, 1800}};
    std::vector<scale_event> events;
    for (std::size_t i = 0; i <= max_scale_events; ++i) {
        store_event(events, rules, 1, scene::start_ms + static_cast<std::int64_t>(i));
    }
    EXPECT_EQ(events.size(), max_scale_events);
    EXPECT_EQ(changed_within(events, 1800, scene::start_ms + 10'000), static_cast<std::int64_t>(max_scale_events) + 1);
}

TEST(Bounds, TheLimitNeverPushesAgainstTheDirection) {
    manifest::scaling_rules tight;
    tight.policies = {{manifest::policy_type::pods, 1, 60}};
    const manifest::behavior rules{tight, tight};
    const std::vector<scale_event> ups = {{5, false, scene::start_ms - 1000}};
    const std::vector<scale_event> downs;
    const event_history events{ups, downs, scene::start_ms};
    const bounded made = bound(rules, 10, 12, {1, 20}, events);
    EXPECT_EQ(made.rate.replicas, 6);  // 10 - 5 + 1
    EXPECT_EQ(made.replicas, 10);
    EXPECT_EQ(made.why, reason::scale_up_limit);
}

TEST(Pods, SucceededOnesTakePartUpToTheReleaseThatIgnoresThem) {
    pod done;
    done.phase = pod_phase::succeeded;
    pod_sample sample;
    sample.value_milli = 1'000;
    EXPECT_EQ(group_of(done, &sample, false, {.ignores_succeeded = false}), pod_group::ready);
    EXPECT_EQ(group_of(done, nullptr, false, {.ignores_succeeded = false}), pod_group::missing);
    EXPECT_EQ(group_of(done, &sample, false, {.ignores_succeeded = true}), pod_group::ignored);
}

// kubernetes/kubernetes replica_calculator.go (calcPlainMetricReplicas): "no pods returned by selector".
TEST(Pods, SamplesWithoutAListedPodMakeNoProposal) {
    pod_sample sample;
    sample.metric = 0;
    sample.pod = -1;
    sample.value_milli = 30'000;
    pods_input input;
    input.samples = {&sample, 1};
    input.spec_replicas = 20;
    EXPECT_EQ(pods_average(input, 10'000).failure, metric_failure::no_pods);
    EXPECT_EQ(resource_utilization(input, 50).failure, metric_failure::no_pods);
    input.samples = {};
    EXPECT_EQ(pods_average(input, 10'000).failure, metric_failure::no_pods);
    input.is_answered = true;
    EXPECT_EQ(pods_average(input, 10'000).failure, metric_failure::no_metrics)
        << "the HPA asks for metrics before pods";
    const pod listed;
    input.pods = {&listed, 1};
    input.is_answered = false;
    EXPECT_EQ(pods_average(input, 10'000).failure, metric_failure::no_metrics);
}

// kubernetes/kubernetes replica_calculator.go (getReadyPodsCount): the size's own status is not a list of pods.
TEST(Pods, AValueTargetNeedsAListedPodWhereTheHostListsThem) {
    policy by = scene::hpa();
    by.metrics = {scene::metric("qps", 5000, manifest::target_type::value)};
    const sample high = scene::value(50);
    observation seen;
    seen.now_ms = scene::start_ms;
    seen.spec_replicas = seen.status_replicas = 20;
    seen.ready_replicas = 0;
    seen.samples = {&high, 1};
    state with = make_state(by);
    EXPECT_EQ(decide(by, with, seen).failure, metric_failure::none) << "pods exist, and none is ready";
    seen.lists_pods = true;
    with = make_state(by);
    const decision made = decide(by, with, seen);
    EXPECT_EQ(made.failure, metric_failure::no_pods);
    EXPECT_EQ(made.desired_replicas, 20);
}

}  // namespace
}  // namespace gputide::decide
