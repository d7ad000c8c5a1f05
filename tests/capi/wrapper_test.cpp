// gputide.hpp: the same functions, as C++ has them.
#include "gputide/gputide.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Wrapper, DecidesFromNumbers) {
    const auto policy = gputide::policy::open(pushed_manifest);
    gputide::state state(policy);
    std::string report;
    gputide::decision next = state.decide(
        policy, gputide::observation{}.at(start_ms).current(3).sample(gputide::value_sample(42.5)), &report);
    EXPECT_TRUE(next.wants_write());
    EXPECT_EQ(next.desired(), 6);
    EXPECT_EQ(next.limited_by(), "scale_up_limit");
    EXPECT_NE(gputide::render(report).find("ScaleUpLimit"), std::string::npos);

    const std::string before = state.save(policy);
    state.record(policy, next, true, start_ms);
    EXPECT_NE(state.save(policy), before);
    const std::string saved = state.save(policy);
    EXPECT_EQ(without_random_id(gputide::state::load(policy, saved).save(policy)), without_random_id(saved));
}

TEST(Wrapper, FailuresAreExceptions) {
    try {
        gputide::scaler::open("kind: Nothing\n", gputide::options{}.text_name("so.yaml"));
        FAIL() << "no exception";
    } catch (const gputide::failure& failed) {
        EXPECT_EQ(failed.status(), GPUTIDE_E_INVALID);
        EXPECT_EQ(failed.action(), GPUTIDE_ACTION_FIX_CONFIGURATION);
        EXPECT_NE(std::string(failed.what()).find("so.yaml"), std::string::npos) << failed.what();
    }
}

TEST(Wrapper, AScalerKeepsItsStateOverARestart) {
    auto first = gputide::scaler::open(pushed_manifest);
    const auto seen = gputide::observation{}.at(start_ms).current(2).ready(2).sample(gputide::value_sample(12));
    gputide::decision next = first.tick(seen, 1000);
    first.record(next, true, start_ms);
    auto second = gputide::scaler::open(pushed_manifest);
    second.load(first.save());
    EXPECT_EQ(without_random_id(second.save()), without_random_id(first.save()));
}

TEST(Wrapper, DecidesFromPlainNumbers) {
    const auto policy = gputide::policy::open(pushed_manifest);
    gputide::state state(policy);
    EXPECT_EQ(state.decide(policy, start_ms, 3, {42.5}).desired(), 6);
    EXPECT_THROW(state.decide(policy, start_ms, 3, {1.0, 2.0}), gputide::failure);
    EXPECT_EQ(policy.metric_name(0), "s0-values");
    for (const std::int32_t none : {1, GPUTIDE_NO_METRIC, GPUTIDE_FORMULA}) EXPECT_EQ(policy.metric_name(none), "");
}

TEST(Wrapper, UnequalVectorsAreRefused) {
    gputide::series series;
    EXPECT_THROW(series.add(0, {start_ms, start_ms + 1}, {1.0}), std::invalid_argument);
    EXPECT_THROW(series.add_replicas({start_ms}, {1, 2}), std::invalid_argument);
}

TEST(Wrapper, PodsTravelWithTheObservation) {
    gputide::observation seen;
    auto busy = gputide_pod_sample{};
    busy.pod = seen.pod(gputide::pod("a", GPUTIDE_POD_RUNNING, GPUTIDE_READY_YES));
    busy.value_milli = 90'000;
    busy.request_milli = 100'000;
    const auto policy = gputide::policy::open(R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",
        "metadata":{"name":"demo"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"demo"},
        "maxReplicas":10,"metrics":[{"type":"Resource","resource":{"name":"memory",
        "target":{"type":"Utilization","averageUtilization":50}}}]}})");
    gputide::state state(policy);
    const auto next = state.decide(policy, seen.at(start_ms).current(1).pod_sample(busy));
    EXPECT_EQ(next.c.proposed_replicas, 2);  // ceil(1 x 90 / 50)
}

TEST(Wrapper, AFailedSampleIsAnError) {
    const auto policy = gputide::policy::open(pushed_manifest);
    gputide::state state(policy);
    const auto seen = gputide::observation{}.at(start_ms).current(3).sample(
        gputide::failed_sample(GPUTIDE_SAMPLE_TIMEOUT, GPUTIDE_E_TIMEOUT));
    const gputide::decision next = state.decide(policy, seen);
    EXPECT_TRUE(next.error());
    EXPECT_EQ(next.desired(), 3);
}

}  // namespace
