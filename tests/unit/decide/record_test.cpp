// What became of a write: events, last active time and conditions follow what was applied.
#include "decide/state/state.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/texts.hpp"
#include "decide/trace/trace.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::decide {

namespace {

using scene::driven;
using scene::value;

TEST(Record, StoresTheEventOfARescaleWithBehaviour) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven one(by, 3);
    const decision made = one.tick(0, {value(30)});
    EXPECT_EQ(made.desired_replicas, 6);
    ASSERT_EQ(one.with.ups.size(), 1U);
    EXPECT_EQ(one.with.ups[0].change, 3);
    EXPECT_EQ(scene::reason_of(made, condition_type::able_to_scale), reason::succeeded_rescale);
    EXPECT_EQ(condition_of(one.with.conditions, condition_type::able_to_scale).reason, reason::succeeded_rescale);
}

TEST(Record, StoresNothingWithoutBehaviourOrWithoutAWrite) {
    driven legacy(scene::hpa(), 3);
    legacy.tick(0, {value(30)});
    EXPECT_TRUE(legacy.with.ups.empty());
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven still(by, 3);
    still.tick(0, {value(15)});
    EXPECT_TRUE(still.with.ups.empty());
    EXPECT_EQ(condition_of(still.with.conditions, condition_type::able_to_scale).reason, reason::ready_for_new_scale);
}

std::string message_of(const driven& one, const decision& made, condition_type type) {
    std::string room;
    const text_details details{.scale_error = one.with.scale_error};
    return std::string(condition_message(one.by, made, type, details, room));
}

TEST(Record, AFailedWriteCarriesItsReason) {
    driven one(scene::hpa(), 3);
    decision made = one.look(0, {value(30)});
    record_failed(one.by, one.with, made, scene::start_ms, "admission webhook denied the request");
    EXPECT_EQ(message_of(one, made, condition_type::able_to_scale),
              "the HPA controller was unable to update the target scale: admission webhook denied the request");
    made = one.look(15'000, {value(30)});
    record_failed(one.by, one.with, made, scene::start_ms);
    EXPECT_EQ(message_of(one, made, condition_type::able_to_scale),
              "the HPA controller was unable to update the target scale: no reason was given");
}

TEST(Record, AFailedReadCarriesItsReason) {
    driven one(scene::scaled_object(), 3);
    observation seen;
    seen.now_ms = scene::start_ms;
    seen.scale_readable = false;
    seen.scale_error = "deployments.apps \"web\" not found";
    const decision made = decide(one.by, one.with, seen);
    EXPECT_EQ(message_of(one, made, condition_type::ready),
              "Error getting current replicas count for ScaleTarget: deployments.apps \"web\" not found");
    EXPECT_EQ(message_of(one, made, condition_type::able_to_scale),
              "the HPA controller was unable to get the target's current scale: deployments.apps \"web\" not found");
}

TEST(Record, AppliedTwiceCountsOnce) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven one(by, 3);
    decision made = one.look(0, {value(30)});
    record_applied(one.by, one.with, made, scene::start_ms);
    record_applied(one.by, one.with, made, scene::start_ms);
    EXPECT_EQ(one.with.ups.size(), 1U);
}

TEST(Record, OfAnotherStateCountsNothing) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven one(by, 3);
    driven other(by, 3);
    decision made = one.look(0, {value(30)});
    EXPECT_FALSE(check_record(other.with, made).ok());
    record_applied(other.by, other.with, made, scene::start_ms);
    EXPECT_TRUE(other.with.ups.empty());
    decision changed = made;
    ++changed.desired_replicas;
    EXPECT_FALSE(check_record(one.with, changed).ok());
    EXPECT_TRUE(check_record(one.with, made).ok());
    EXPECT_LT(made.id, std::uint64_t{1} << 53U);
}

TEST(Record, AFailedWriteLeavesNoEvent) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven one(by, 3);
    decision made = one.look(0, {value(30)});
    record_failed(one.by, one.with, made, scene::start_ms + 5);
    EXPECT_TRUE(one.with.ups.empty());
    EXPECT_EQ(scene::truth_of(made, condition_type::able_to_scale), truth::no);
    EXPECT_EQ(scene::reason_of(made, condition_type::able_to_scale), reason::failed_update_scale);
    EXPECT_EQ(condition_of(made.conditions, condition_type::able_to_scale).since_ms, scene::start_ms + 5);
}

TEST(Record, AnActivationBecomesActiveOnlyWhenApplied) {
    driven one(scene::scaled_object(0), 0);
    decision failed = one.look(123, {value(9)});
    record_failed(one.by, one.with, failed, scene::start_ms + 500);
    EXPECT_EQ(failed.event, event::activation_failed);
    EXPECT_EQ(one.with.last_active_ms, absent);
    decision done = one.look(30'123, {value(9)});
    record_applied(one.by, one.with, done, scene::start_ms + 31'999);
    EXPECT_EQ(one.with.last_active_ms, scene::start_ms + 31'000);  // whole seconds
    EXPECT_EQ(done.event, event::activated);
}

TEST(Record, TransitionTimeMovesWithTheTruthOnly) {
    driven one(scene::hpa(), 3);
    one.tick(0, {value(15)});
    const decision later = one.tick(15'000, {value(30)});
    EXPECT_EQ(condition_of(later.conditions, condition_type::able_to_scale).since_ms, scene::start_ms);
    const decision limited = one.tick(30'000, {value(5000)});
    EXPECT_EQ(scene::truth_of(limited, condition_type::scaling_limited), truth::yes);
    EXPECT_EQ(condition_of(limited.conditions, condition_type::scaling_limited).since_ms, scene::start_ms + 30'000);
}

TEST(Record, TheHpaLeavesOnlyAZeroOfItsOwn) {
    policy by = scene::hpa(0);
    by.scaling.controller.downscale_window_s = 0;
    driven one(by, 3);
    one.tick(0, {value(0)});
    one.tick(15'000, {value(0)});
    EXPECT_EQ(one.replicas, 0);
    EXPECT_TRUE(one.with.scaled_to_zero);
    EXPECT_EQ(one.tick(30'000, {value(12)}).desired_replicas, 3);
    EXPECT_FALSE(one.with.scaled_to_zero);
    driven by_hand(by, 0);
    const decision made = by_hand.tick(0, {value(12)});
    EXPECT_EQ(made.desired_replicas, 0);
    EXPECT_EQ(scene::reason_of(made, condition_type::scaling_active), reason::scaling_disabled);
}

}  // namespace

namespace {

using scene::driven;
using scene::value;

// Polls every 10 s and passes every 15 s, so that at 10 s the executor half runs alone.
policy polled() {
    policy by = scene::scaled_object();
    by.scaling.polling_interval_s = 10;
    return by;
}

TEST(Verdict, IsShownBetweenPasses) {
    driven one(polled(), 10);
    one.tick(0, {value(50)});
    const decision passed = one.tick(15'000, {value(10)});
    ASSERT_EQ(passed.limited_by, limit::stabilized);
    ASSERT_EQ(passed.proposed_replicas, 2);
    EXPECT_EQ(passed.verdict_age_ms, 0);
    const decision between = one.tick(25'000, {value(10)});
    ASSERT_TRUE(between.executor_ran && !between.hpa_ran);
    EXPECT_EQ(between.proposed_replicas, 2);
    EXPECT_EQ(between.limited_by, limit::stabilized);
    EXPECT_EQ(between.winner, 0);
    EXPECT_EQ(between.desired_replicas, 10);
    EXPECT_EQ(between.verdict_age_ms, 10'000);
}

TEST(Verdict, NothingDueKeepsTheProposal) {
    driven one(polled(), 10);
    one.tick(0, {value(50)});
    const decision made = one.tick(5'000, {value(10)});
    EXPECT_FALSE(made.executor_ran || made.hpa_ran);
    EXPECT_EQ(made.limited_by, limit::not_due);
    EXPECT_EQ(made.proposed_replicas, 10);
    EXPECT_EQ(made.verdict_age_ms, 5'000);
}

TEST(Verdict, AFallbackDoesNotAlternate) {
    policy by = polled();
    by.scaling.fallback = manifest::fallback{0, 6};
    by.fallback_on = true;
    driven one(by, 6);
    for (std::int64_t at = 0; at <= 120'000; at += 5'000) {
        const decision made = one.tick(at, {scene::no_value(sample_state::failed)});
        if (!made.executor_ran && !made.hpa_ran) continue;
        EXPECT_EQ(made.limited_by, limit::fallback) << at;
        EXPECT_EQ(made.proposed_replicas, 6) << at;
    }
}

TEST(Verdict, WhatTheExecutorWaitsForComesFirst) {
    policy by = polled();
    by.scaling.min = 0;
    driven one(by, 1);
    one.tick(0, {value(4)});
    const decision made = one.tick(10'000, {value(0)});
    ASSERT_FALSE(made.hpa_ran);
    EXPECT_EQ(made.limited_by, limit::cooldown);
    EXPECT_EQ(made.proposed_replicas, 1);
}

TEST(Verdict, AWriteOfTheExecutorEndsIt) {
    policy by = polled();
    by.scaling.min = 0;
    driven one(by, 0);
    one.tick(0, {value(0)});
    ASSERT_EQ(one.tick(10'000, {value(50)}).desired_replicas, 1);
    one.tick(15'000, {value(50)});
    ASSERT_EQ(one.replicas, 4);
    one.replicas = 0;  // somebody else's write
    ASSERT_EQ(one.tick(20'000, {value(50)}).origin, origin::executor);
    by.scaling.extra.sync_period_ms = 60'000;
    one.by = by;
    const decision made = one.tick(30'000, {value(50)});
    ASSERT_TRUE(made.executor_ran && !made.hpa_ran);
    EXPECT_EQ(made.limited_by, limit::not_due);
    EXPECT_EQ(made.proposed_replicas, made.current_replicas);
    EXPECT_EQ(made.verdict_age_ms, 0);
}

TEST(Verdict, FailuresKeepTheirWords) {
    driven one(polled(), 3);
    one.tick(0, {scene::no_value(sample_state::auth)});
    const decision made = one.tick(10'000, {scene::no_value(sample_state::auth)});
    ASSERT_FALSE(made.hpa_ran);
    std::string room;
    const auto message = condition_message(one.by, made, condition_type::scaling_active, {}, room);
    EXPECT_NE(message.find("the credentials were refused"), std::string_view::npos) << message;
}

TEST(Verdict, AnUnreadableSizeIsNoData) {
    driven one(polled(), 3);
    one.tick(0, {value(15)});
    const std::vector<sample> samples{value(15)};
    observation seen;
    seen.now_ms = scene::start_ms + 10'000;
    seen.spec_replicas = 3;
    seen.scale_readable = false;
    seen.samples = samples;
    EXPECT_EQ(decide(one.by, one.with, seen).limited_by, limit::no_data);
}

TEST(Verdict, SurvivesARestart) {
    driven one(polled(), 10);
    one.tick(0, {value(50)});
    one.tick(15'000, {value(10)});
    const result<state> back = load_state(one.by, save_state(one.by, one.with));
    ASSERT_TRUE(back.ok()) << back.failure().message;
    one.with = *back;
    const decision made = one.tick(25'000, {value(10)});
    EXPECT_EQ(made.limited_by, limit::stabilized);
    EXPECT_EQ(made.verdict_age_ms, 10'000);
}

TEST(Verdict, TheReportHasItsAge) {
    driven one(polled(), 10);
    one.tick(0, {value(50)});
    trace why;
    const decision made = one.look(10'000, {value(10)}, &why);
    const auto report = nlohmann::json::parse(decision_json(one.by, made, &why));
    EXPECT_EQ(report.at("verdict_age_ms"), 10'000);
    for (const auto& step : report.at("trace")) {
        if (step.at("step") != "verdict") continue;
        EXPECT_EQ(step.at("winner"), "s0-prometheus");
        EXPECT_EQ(step.at("text"), "the HPA half is not due; 10s ago it proposed 10 for s0-prometheus");
        return;
    }
    FAIL() << report;
}

}  // namespace

}  // namespace gputide::decide
