// Plans for GPU nodes through the C API: a first plan, the next one with its state, texts and states that are none.
#include "support.hpp"

#include <gtest/gtest.h>

namespace {

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
