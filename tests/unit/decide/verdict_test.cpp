// Between two passes of the HPA half a decision shows what the last one said, and how old that is.
#include "decide/state/state.hpp"
#include "decide/state/text.hpp"
#include "decide/trace/report.hpp"
#include "decide/trace/trace.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gputide::decide {
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
    by.scaling.fallback = config::fallback{0, 6};
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
