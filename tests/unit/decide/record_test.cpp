// Tests what became of a write: events, last active time and conditions follow what was applied.
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

TEST(Record, StoresTheEventOfARescaleWithBehavior) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven scaler(by, 3);
    const decision made = scaler.tick(0, {value(30)});
    EXPECT_EQ(made.desired_replicas, 6);
    ASSERT_EQ(scaler.with.ups.size(), 1U);
    EXPECT_EQ(scaler.with.ups[0].change, 3);
    EXPECT_EQ(scene::reason_of(made, condition_type::able_to_scale), reason::succeeded_rescale);
    EXPECT_EQ(condition_of(scaler.with.conditions, condition_type::able_to_scale).reason, reason::succeeded_rescale);
}

TEST(Record, StoresNothingWithoutBehaviorOrWithoutAWrite) {
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

std::string message_of(const driven& scaler, const decision& made, condition_type type) {
    std::string buffer;
    const text_details details{.scale_error = scaler.with.scale_error};
    return std::string(condition_message(scaler.by, made, type, details, buffer));
}

TEST(Record, AFailedWriteCarriesItsReason) {
    driven scaler(scene::hpa(), 3);
    decision made = scaler.look(0, {value(30)});
    record_failed(scaler.by, scaler.with, made, scene::start_ms, "admission webhook denied the request");
    EXPECT_EQ(message_of(scaler, made, condition_type::able_to_scale),
              "the HPA controller was unable to update the target scale: admission webhook denied the request");
    made = scaler.look(15'000, {value(30)});
    record_failed(scaler.by, scaler.with, made, scene::start_ms);
    EXPECT_EQ(message_of(scaler, made, condition_type::able_to_scale),
              "the HPA controller was unable to update the target scale: no reason was given");
}

TEST(Record, AFailedReadCarriesItsReason) {
    driven scaler(scene::scaled_object(), 3);
    observation seen;
    seen.now_ms = scene::start_ms;
    seen.scale_readable = false;
    seen.scale_error = "deployments.apps \"web\" not found";
    const decision made = decide(scaler.by, scaler.with, seen);
    EXPECT_EQ(message_of(scaler, made, condition_type::ready),
              "Error getting current replicas count for ScaleTarget: deployments.apps \"web\" not found");
    EXPECT_EQ(message_of(scaler, made, condition_type::able_to_scale),
              "the HPA controller was unable to get the target's current scale: deployments.apps \"web\" not found");
}

TEST(Record, AppliedTwiceCountsOnce) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven scaler(by, 3);
    decision made = scaler.look(0, {value(30)});
    record_applied(scaler.by, scaler.with, made, scene::start_ms);
    record_applied(scaler.by, scaler.with, made, scene::start_ms);
    EXPECT_EQ(scaler.with.ups.size(), 1U);
}

TEST(Record, OfAnotherStateCountsNothing) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven scaler(by, 3);
    driven other(by, 3);
    decision made = scaler.look(0, {value(30)});
    EXPECT_FALSE(check_record(other.with, made).ok());
    record_applied(other.by, other.with, made, scene::start_ms);
    EXPECT_TRUE(other.with.ups.empty());
    decision changed = made;
    ++changed.desired_replicas;
    EXPECT_FALSE(check_record(scaler.with, changed).ok());
    EXPECT_TRUE(check_record(scaler.with, made).ok());
    EXPECT_LT(made.id, std::uint64_t{1} << 53U);
}

TEST(Record, AFailedWriteLeavesNoEvent) {
    policy by = scene::hpa();
    by.scaling.behavior = scene::default_behavior();
    driven scaler(by, 3);
    decision made = scaler.look(0, {value(30)});
    record_failed(scaler.by, scaler.with, made, scene::start_ms + 5);
    EXPECT_TRUE(scaler.with.ups.empty());
    EXPECT_EQ(scene::truth_of(made, condition_type::able_to_scale), truth::no);
    EXPECT_EQ(scene::reason_of(made, condition_type::able_to_scale), reason::failed_update_scale);
    EXPECT_EQ(condition_of(made.conditions, condition_type::able_to_scale).since_ms, scene::start_ms + 5);
}

TEST(Record, AnActivationBecomesActiveOnlyWhenApplied) {
    driven scaler(scene::scaled_object(0), 0);
    decision failed = scaler.look(123, {value(9)});
    record_failed(scaler.by, scaler.with, failed, scene::start_ms + 500);
    EXPECT_EQ(failed.event, event::activation_failed);
    EXPECT_EQ(scaler.with.last_active_ms, absent);
    decision done = scaler.look(30'123, {value(9)});
    record_applied(scaler.by, scaler.with, done, scene::start_ms + 31'999);
    EXPECT_EQ(scaler.with.last_active_ms, scene::start_ms + 31'000);  // whole seconds
    EXPECT_EQ(done.event, event::activated);
}

TEST(Record, TransitionTimeMovesWithTheTruthOnly) {
    driven scaler(scene::hpa(), 3);
    scaler.tick(0, {value(15)});
    const decision later = scaler.tick(15'000, {value(30)});
    EXPECT_EQ(condition_of(later.conditions, condition_type::able_to_scale).since_ms, scene::start_ms);
    const decision limited = scaler.tick(30'000, {value(5000)});
    EXPECT_EQ(scene::truth_of(limited, condition_type::scaling_limited), truth::yes);
    EXPECT_EQ(condition_of(limited.conditions, condition_type::scaling_limited).since_ms, scene::start_ms + 30'000);
}

TEST(Record, TheHpaLeavesOnlyAZeroOfItsOwn) {
    policy by = scene::hpa(0);
    by.scaling.controller.downscale_window_s = 0;
    driven scaler(by, 3);
    scaler.tick(0, {value(0)});
    scaler.tick(15'000, {value(0)});
    EXPECT_EQ(scaler.replicas, 0);
    EXPECT_TRUE(scaler.with.scaled_to_zero);
    EXPECT_EQ(scaler.tick(30'000, {value(12)}).desired_replicas, 3);
    EXPECT_FALSE(scaler.with.scaled_to_zero);
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
    driven scaler(polled(), 10);
    scaler.tick(0, {value(50)});
    const decision passed = scaler.tick(15'000, {value(10)});
    ASSERT_EQ(passed.limited_by, limit::stabilized);
    ASSERT_EQ(passed.proposed_replicas, 2);
    EXPECT_EQ(passed.verdict_age_ms, 0);
    const decision between = scaler.tick(25'000, {value(10)});
    ASSERT_TRUE(between.executor_ran && !between.hpa_ran);
    EXPECT_EQ(between.proposed_replicas, 2);
    EXPECT_EQ(between.limited_by, limit::stabilized);
    EXPECT_EQ(between.winner, 0);
    EXPECT_EQ(between.desired_replicas, 10);
    EXPECT_EQ(between.verdict_age_ms, 10'000);
}

TEST(Verdict, NothingDueKeepsTheProposal) {
    driven scaler(polled(), 10);
    scaler.tick(0, {value(50)});
    const decision made = scaler.tick(5'000, {value(10)});
    EXPECT_FALSE(made.executor_ran || made.hpa_ran);
    EXPECT_EQ(made.limited_by, limit::not_due);
    EXPECT_EQ(made.proposed_replicas, 10);
    EXPECT_EQ(made.verdict_age_ms, 5'000);
}

TEST(Verdict, AFallbackDoesNotAlternate) {
    policy by = polled();
    by.scaling.fallback = manifest::fallback{0, 6};
    by.fallback_on = true;
    driven scaler(by, 6);
    for (std::int64_t at = 0; at <= 120'000; at += 5'000) {
        const decision made = scaler.tick(at, {scene::no_value(sample_state::failed)});
        if (!made.executor_ran && !made.hpa_ran) continue;
        EXPECT_EQ(made.limited_by, limit::fallback) << at;
        EXPECT_EQ(made.proposed_replicas, 6) << at;
    }
}

TEST(Verdict, WhatTheExecutorWaitsForComesFirst) {
    policy by = polled();
    by.scaling.min = 0;
    driven scaler(by, 1);
    scaler.tick(0, {value(4)});
    const decision made = scaler.tick(10'000, {value(0)});
    ASSERT_FALSE(made.hpa_ran);
    EXPECT_EQ(made.limited_by, limit::cooldown);
    EXPECT_EQ(made.proposed_replicas, 1);
}

TEST(Verdict, AWriteOfTheExecutorEndsIt) {
    policy by = polled();
    by.scaling.min = 0;
    driven scaler(by, 0);
    scaler.tick(0, {value(0)});
    ASSERT_EQ(scaler.tick(10'000, {value(50)}).desired_replicas, 1);
    scaler.tick(15'000, {value(50)});
    ASSERT_EQ(scaler.replicas, 4);
    scaler.replicas = 0;  // another controller's write
    ASSERT_EQ(scaler.tick(20'000, {value(50)}).origin, origin::executor);
    by.scaling.extra.sync_period_ms = 60'000;
    scaler.by = by;
    const decision made = scaler.tick(30'000, {value(50)});
    ASSERT_TRUE(made.executor_ran && !made.hpa_ran);
    EXPECT_EQ(made.limited_by, limit::not_due);
    EXPECT_EQ(made.proposed_replicas, made.current_replicas);
    EXPECT_EQ(made.verdict_age_ms, 0);
}

TEST(Verdict, FailuresKeepTheirWords) {
    driven scaler(polled(), 3);
    scaler.tick(0, {scene::no_value(sample_state::auth)});
    const decision made = scaler.tick(10'000, {scene::no_value(sample_state::auth)});
    ASSERT_FALSE(made.hpa_ran);
    std::string buffer;
    const auto message = condition_message(scaler.by, made, condition_type::scaling_active, {}, buffer);
    EXPECT_NE(message.find("the credentials were refused"), std::string_view::npos) << message;
}

TEST(Verdict, AnUnreadableSizeIsNoData) {
    driven scaler(polled(), 3);
    scaler.tick(0, {value(15)});
    const std::vector<sample> samples{value(15)};
    observation seen;
    seen.now_ms = scene::start_ms + 10'000;
    seen.spec_replicas = 3;
    seen.scale_readable = false;
    seen.samples = samples;
    EXPECT_EQ(decide(scaler.by, scaler.with, seen).limited_by, limit::no_data);
}

TEST(Verdict, SurvivesARestart) {
    driven scaler(polled(), 10);
    scaler.tick(0, {value(50)});
    scaler.tick(15'000, {value(10)});
    const result<state> back = load_state(scaler.by, save_state(scaler.by, scaler.with));
    ASSERT_TRUE(back.ok()) << back.failure().message;
    scaler.with = *back;
    const decision made = scaler.tick(25'000, {value(10)});
    EXPECT_EQ(made.limited_by, limit::stabilized);
    EXPECT_EQ(made.verdict_age_ms, 10'000);
}

TEST(Verdict, TheReportHasItsAge) {
    driven scaler(polled(), 10);
    scaler.tick(0, {value(50)});
    trace why;
    const decision made = scaler.look(10'000, {value(10)}, &why);
    const auto report = nlohmann::json::parse(decision_json(scaler.by, made, &why));
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
