// A source that says itself what its target is and whether it is active, as KEDA's external scalers do.
#include "decide/state/text.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

namespace gputide::decide {
namespace {

using scene::driven;
using scene::value;

sample told(double number, activity_word activity, std::int64_t target_milli) {
    sample out = value(number);
    out.activity = activity;
    out.target_milli = target_milli;
    return out;
}

// The manifest's own target is none.
policy polled(std::int32_t min) {
    policy by = scene::scaled_object(min);
    by.metrics.front().target_milli = 0;
    return by;
}

TEST(SourceWords, TheTargetIsTheSources) {
    driven one(polled(1), 3);
    const decision made = one.tick(0, {told(20, activity_word::active, 5'000)});
    EXPECT_EQ(made.proposed_replicas, 4);
    EXPECT_EQ(made.failed_count, 0);
    driven none(polled(1), 3);
    EXPECT_EQ(none.tick(0, {value(20)}).failure, metric_failure::no_target);
}

TEST(SourceWords, ActivityIsTheSourcesAndNotTheNumbers) {
    driven awake(polled(0), 0);
    EXPECT_EQ(awake.tick(0, {told(0, activity_word::active, 5'000)}).desired_replicas, 1);
    driven asleep(polled(0), 0);
    EXPECT_EQ(asleep.tick(0, {told(50, activity_word::inactive, 5'000)}).desired_replicas, 0);
}

TEST(SourceWords, AnEmptyAnswerIsAnActivityWithoutAProposal) {
    sample empty = scene::no_value(sample_state::empty);
    empty.activity = activity_word::active;
    empty.target_milli = 5'000;
    driven awake(polled(0), 0);
    const decision woken = awake.tick(0, {empty});
    EXPECT_EQ(woken.desired_replicas, 1);
    EXPECT_FALSE(woken.error);
    driven running(polled(0), 3);
    const decision held = running.tick(0, {empty});
    EXPECT_EQ(held.desired_replicas, 3);
    EXPECT_EQ(held.failure, metric_failure::no_metrics);
    driven plain(polled(0), 0);
    EXPECT_EQ(plain.tick(0, {scene::no_value(sample_state::empty)}).desired_replicas, 0);
}

TEST(SourceWords, TheFallbackCountsByTheLastTarget) {
    policy by = polled(1);
    by.scaling.fallback = config::fallback{0, 6};
    by.fallback_on = true;
    driven one(by, 3);
    one.tick(0, {told(15, activity_word::active, 5'000)});
    EXPECT_EQ(one.tick(30'000, {scene::no_value(sample_state::failed)}).proposed_replicas, 6);
    EXPECT_EQ(one.tick(60'000, {scene::no_value(sample_state::failed)}).proposed_replicas, 6);
    const result<state> back = load_state(by, save_state(by, one.with));
    ASSERT_TRUE(back) << back.failure().message;
    EXPECT_EQ(back->health[0].last.target_milli, 5'000) << "over a restart as well";
}

TEST(SourceWords, OwnThresholdsAreOfTheSourcesTarget) {
    policy by = polled(1);
    by.metrics.front().rules.scale_up_above = 8.0;
    driven one(by, 3);
    EXPECT_EQ(one.tick(0, {told(21, activity_word::active, 5'000)}).proposed_replicas, 3) << "7 a replica";
    EXPECT_EQ(one.tick(30'000, {told(25, activity_word::active, 5'000)}).proposed_replicas, 5);
}

TEST(SourceWords, ComeBackFromASavedState) {
    const policy by = polled(1);
    driven one(by, 3);
    one.tick(0, {told(20, activity_word::inactive, 5'000)});
    const std::string text = save_state(by, one.with);
    const result<state> back = load_state(by, text);
    ASSERT_TRUE(back) << back.failure().message;
    EXPECT_EQ(back->health[0].last.activity, activity_word::inactive);
    EXPECT_EQ(back->health[0].last.target_milli, 5'000);
    EXPECT_EQ(save_state(by, *back), text);
}

}  // namespace
}  // namespace gputide::decide
