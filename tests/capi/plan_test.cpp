// The planners of plan.h: the forecast alone, and what it refuses; a ScaledJob; plans for GPU nodes.

#include "gputide/gputide.hpp"
#include "support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace {

constexpr std::int64_t minute_ms = 60'000;

double load_at(std::int64_t minute) { return minute % 60 < 10 ? 100 : 20; }

constexpr char settings[] = R"({"warmup_ms":3600000,"budget_percent":100})";

gputide::forecast driven(std::int64_t minutes) {
    gputide::forecast out = gputide::forecast::open(settings);
    for (std::int64_t minute = 0; minute < minutes; ++minute) {
        const auto reactive = static_cast<std::int32_t>(load_at(minute) / 5);
        out.add(start_ms + minute * minute_ms, load_at(minute));
        out.charge(out.floor(5, reactive, reactive, 40).replicas, reactive);
    }
    return out;
}

gputide_status status_of(const std::string& text) {
    gputide_forecast* out = nullptr;
    auto err = sized<gputide_error>();
    const gputide_status got = gputide_forecast_open(text.c_str(), GPUTIDE_TEXT, &out, &err);
    gputide_forecast_free(out);
    return got;
}

TEST(Forecast, RaisesBeforeWhatComesEveryHour) {
    gputide::forecast forecast = driven(2 * 1440 + 56);
    const gputide_floor floor = forecast.floor(5, 4, 4, 40);
    EXPECT_EQ(gputide::forecast_state_name(floor.state), "on");
    EXPECT_GT(floor.floor_load, 90);
    EXPECT_EQ(floor.need_replicas, static_cast<std::int32_t>(std::ceil(floor.floor_load / 5)));
    EXPECT_EQ(floor.replicas, 12);  // 4 and 200 % above it
    EXPECT_EQ(gputide::floor_reason_name(floor.reason), "capped_by_raise");
    EXPECT_EQ(forecast.floor(5, 0, 0, 40).reason, GPUTIDE_FLOOR_AT_ZERO);
    EXPECT_EQ(forecast.floor(5, 4, 4, 4).reason, GPUTIDE_FLOOR_CAPPED_BY_MAX);
}

TEST(Forecast, AFreshOneAsksForNothing) {
    const gputide_floor floor = gputide::forecast::open().floor(5, 4, 4, 40);
    EXPECT_EQ(floor.state, GPUTIDE_FORECAST_WARMING);
    EXPECT_EQ(floor.reason, GPUTIDE_FLOOR_WARMING_UP);
    EXPECT_EQ(floor.replicas, 4);
    EXPECT_EQ(floor.need_replicas, -1);
    EXPECT_TRUE(std::isnan(floor.floor_load));
}

TEST(Forecast, GoesOnFromItsText) {
    gputide::forecast whole = driven(1500);
    gputide::forecast cut = gputide::forecast::open(settings);
    cut.load(whole.save());
    for (std::int64_t minute = 1500; minute < 1700; ++minute) {
        whole.add(start_ms + minute * minute_ms, load_at(minute));
        cut.add(start_ms + minute * minute_ms, load_at(minute));
    }
    EXPECT_EQ(whole.save(), cut.save());
    EXPECT_EQ(whole.describe(), cut.describe());
    std::string damaged = whole.save();
    damaged[damaged.size() / 2] ^= 1;
    EXPECT_THROW(cut.load(damaged), gputide::failure);
    EXPECT_EQ(whole.save(), cut.save());
}

TEST(Forecast, RefusesWhatCannotBe) {
    EXPECT_EQ(status_of(R"({"lead_ms":1})"), GPUTIDE_E_INVALID);
    EXPECT_EQ(status_of("{"), GPUTIDE_E_INVALID);
    EXPECT_EQ(status_of("{" + std::string(70'000, ' ') + "}"), GPUTIDE_E_LIMIT);
    gputide::forecast forecast = gputide::forecast::open();
    EXPECT_THROW(forecast.add(0, 5), gputide::failure);
    EXPECT_THROW(forecast.floor(0, 1, 1, 1), gputide::failure);
    EXPECT_THROW(forecast.floor(std::nan(""), 1, 1, 1), gputide::failure);
    EXPECT_THROW(forecast.floor(5, -1, 1, 1), gputide::failure);
    EXPECT_THROW(forecast.floor(5, 1, 1, -1), gputide::failure);
    EXPECT_THROW(forecast.charge(-1, 1), gputide::failure);
}

TEST(Forecast, NullArgumentsAreErrors) {
    auto err = sized<gputide_error>();
    EXPECT_EQ(gputide_forecast_open(nullptr, 0, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_add(nullptr, start_ms, 1, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_floor(nullptr, 1, 1, 1, 1, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_charge(nullptr, 1, 1, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_describe(nullptr, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_save(nullptr, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(gputide_forecast_load(nullptr, "", 0, &err), GPUTIDE_E_INVALID);
    gputide_forecast_free(nullptr);
    EXPECT_STREQ(gputide_forecast_state_name(99), "unknown");
    EXPECT_STREQ(gputide_floor_reason_name(99), "unknown");
}

// A ScaledJob through the C API: text in, JSON out.

using json = nlohmann::json;

constexpr char scaled_job[] = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledJob","metadata":{"name":"train"},
    "spec":{"jobTargetRef":{"template":{}},"maxReplicaCount":10,"successfulJobsHistoryLimit":1,
    "triggers":[{"type":"prometheus","metadata":{"serverAddress":"http://x","query":"q","threshold":"2"}}]}})";

json decided(const std::string& manifest, const std::string& seen, gputide_status expected = GPUTIDE_OK) {
    owned_text decision;
    auto err = sized<gputide_error>();
    const gputide_status got = gputide_scaled_job_decide(manifest.c_str(), GPUTIDE_TEXT, nullptr, seen.c_str(),
                                                         GPUTIDE_TEXT, &decision.value, &err);
    EXPECT_EQ(got, expected) << err.message;
    if (got != GPUTIDE_OK) return {{"where", err.where}, {"message", err.message}};
    return json::parse(decision.str());
}

TEST(Jobs, TheQueueSaysHowManyToCreate) {
    const json made = decided(scaled_job, R"({"values":[12.5],"running":3,"pending":1})");
    EXPECT_EQ(made.at("create"), 4) << "ceil(12.5 / 2) - 3";
    EXPECT_EQ(made.at("reasons").at("scale_to"), 13);
    EXPECT_EQ(made.at("reasons").at("strategy"), "default");
    EXPECT_EQ(made.at("events"),
              json::array({{{"type", "Normal"}, {"reason", "KEDAJobsCreated"}, {"message", "Created 4 jobs"}}}));
}

TEST(Jobs, JobsThemselvesAreCountedAndTheirHistoryTrimmed) {
    const json made = decided(scaled_job, R"({"values":[4],"jobs":[{"name":"a","pending":true},{"name":"b"},
        {"name":"c","ended":"complete","ended_ms":2},{"name":"d","ended":"complete","ended_ms":1}]})");
    EXPECT_EQ(made.at("create"), 0);
    EXPECT_EQ(made.at("reasons").at("running"), 2);
    EXPECT_EQ(made.at("reasons").at("pending"), 1);
    EXPECT_EQ(made.at("delete"), json::array({"d"}));
}

TEST(Jobs, WhatIsNotKnownHoldsEverything) {
    const json made = decided(scaled_job, R"({"values":[40],"unreadable":true})");
    EXPECT_EQ(made.at("held"), true);
    EXPECT_EQ(made.at("create"), 0);
    const json failed = decided(scaled_job, R"({"values":[null],"running":2})");
    EXPECT_EQ(failed.at("create"), 0);
    EXPECT_EQ(failed.at("conditions").at(0).at("reason"), "TriggerError");
}

TEST(Jobs, WrongInputNamesItsPlace) {
    for (const char* wrong :
         {"", "[]", R"({"values":[]})", R"({"values":["x"]})", R"({"values":[1],"running":-1})",
          R"({"values":[1],"jobs":[{}]})", R"({"values":[1],"jobs":[{"name":"a","ended":"soon"}]})"}) {
        const json got = decided(scaled_job, wrong, GPUTIDE_E_INVALID);
        EXPECT_NE(got.at("where").get<std::string>().find("seen"), std::string::npos) << wrong << got;
    }
    EXPECT_NE(decided(pushed_manifest, R"({"values":[1]})", GPUTIDE_E_INVALID)
                  .at("message")
                  .get<std::string>()
                  .find("no ScaledJob"),
              std::string::npos);
    auto err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    EXPECT_EQ(gputide_policy_open(scaled_job, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("gputide_scaled_job_decide"), std::string::npos) << err.message;
}

// Plans for GPU nodes through the C API: a first plan, the next one with its state, texts and states that are none.

constexpr char cluster[] = R"({"pools":[{"id":"gpu","size":1,"max":3,"price_per_hour":6.98,
    "allocatable":{"cpu":40000,"memory":343597383680,"nvidia.com/gpu":1}}],
    "nodes":[{"name":"gpu-0","pool":"gpu","allocatable":{"cpu":40000,"memory":343597383680,"nvidia.com/gpu":1}}],
    "groups":[{"name":"jobs","count":5,"pod":{"requests":{"nvidia.com/gpu":1}}}]})";

class Nodes : public testing::Test {
  protected:
    gputide_status plan(const char* text, const char* state = nullptr, std::int64_t now_ms = start_ms) {
        return gputide_nodes_plan(text, GPUTIDE_TEXT, state, GPUTIDE_TEXT, now_ms, &summary, &json.value, &next.value,
                                  &err);
    }

    gputide_error err = sized<gputide_error>();
    gputide_nodes_summary summary = sized<gputide_nodes_summary>();
    owned_text json, next;
};

TEST_F(Nodes, APlanCountsEveryPodOnce) {
    ASSERT_EQ(plan(cluster), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.errors, 0U);
    EXPECT_EQ(summary.nodes_to_add, 2);
    EXPECT_EQ(summary.pods_pending, 5);
    EXPECT_EQ(summary.pods_on_existing, 1);
    EXPECT_EQ(summary.pods_on_new, 2);
    EXPECT_EQ(summary.pods_left, 2);
    EXPECT_NE(json.str().find("max node group size reached"), std::string::npos) << json.str();
    EXPECT_NE(json.str().find("raise its maximum, which is 3"), std::string::npos) << json.str();
}

TEST_F(Nodes, TheStateRemembersSinceWhenANodeIsUnneeded) {
    const char* const idle = R"({"pools":[{"id":"gpu","size":1,"max":3}],"nodes":[{"name":"gpu-0","pool":"gpu",
        "allocatable":{"cpu":40000,"memory":343597383680,"nvidia.com/gpu":1}}]})";
    ASSERT_EQ(plan(idle), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.nodes_to_remove, 0);
    const std::string state = next.str();
    ASSERT_EQ(plan(idle, state.c_str(), start_ms + 600'000), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.nodes_to_remove, 0);
    ASSERT_EQ(plan(idle, state.c_str(), start_ms + 600'001), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.nodes_to_remove, 1);
}

// Cluster Autoscaler's --scale-down-delay-after-add: ten minutes.
TEST_F(Nodes, ATellingOfNodesThatCamePausesTheirLeaving) {
    const std::string idle = R"({"pools":[{"id":"gpu","size":1,"max":3}],"nodes":[{"name":"gpu-0","pool":"gpu",
        "allocatable":{"cpu":40000,"memory":343597383680,"nvidia.com/gpu":1}}])";
    ASSERT_EQ(plan((idle + "}").c_str()), GPUTIDE_OK) << err.message;
    const std::string state = next.str();
    const std::string came = idle + R"(,"events":[{"kind":"added","pool":"gpu","nodes":1}]})";
    ASSERT_EQ(plan(came.c_str(), state.c_str(), start_ms + 600'001), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.nodes_to_remove, 0) << json.str();
    EXPECT_EQ(summary.errors, 0U) << json.str();
    EXPECT_NE(json.str().find("\"paused_until_ms\":" + std::to_string(start_ms + 1'200'001)), std::string::npos)
        << json.str();
}

TEST_F(Nodes, AListOfAnythingElseIsNamed) {
    const std::string text = std::string(cluster) + R"({"pools":[7],"nodes":{}})";
    ASSERT_EQ(plan(text.c_str()), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.errors, 3U) << json.str();
    EXPECT_NE(json.str().find("\"path\":\"pools[0]\""), std::string::npos) << json.str();
    EXPECT_NE(json.str().find("nodes: expected a list"), std::string::npos) << json.str();
    EXPECT_EQ(plan(R"({"pools":[7]})"), GPUTIDE_E_INVALID);
}

TEST_F(Nodes, WhatIsNoneIsRefused) {
    EXPECT_EQ(plan("no cluster: ["), GPUTIDE_E_INVALID);
    EXPECT_EQ(plan(cluster, "{}"), GPUTIDE_E_STATE);
    EXPECT_EQ(plan(cluster, "[1,2"), GPUTIDE_E_STATE);
    EXPECT_EQ(plan(nullptr), GPUTIDE_E_INVALID);
    EXPECT_EQ(plan(cluster, nullptr, 0), GPUTIDE_E_INVALID);
    summary.struct_size = 8;
    EXPECT_EQ(plan(cluster), GPUTIDE_E_INVALID);
}

TEST_F(Nodes, OneBadItemIsNamedAndTheOthersArePlanned) {
    const std::string text = std::string(cluster) + R"({"kind":"Node","metadata":{"name":"broken"}})";
    ASSERT_EQ(plan(text.c_str()), GPUTIDE_OK) << err.message;
    EXPECT_EQ(summary.errors, 1U);
    EXPECT_EQ(summary.nodes_to_add, 2);
    EXPECT_NE(json.str().find("status.allocatable: expected what the node has for pods"), std::string::npos)
        << json.str();
}

}  // namespace
