// A cluster's settings, and when another's size is a difference.
#include "runtime/cluster/comparison.hpp"
#include "runtime/cluster/settings.hpp"

#include <gtest/gtest.h>

namespace gputide::runtime {
namespace {

TEST(ClusterSettings, Defaults) {
    const auto got = read_cluster_settings("");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_TRUE(got->namespaces.empty());
    EXPECT_FALSE(got->shadow);
    EXPECT_EQ(got->lease_name, "gputide");
    EXPECT_EQ(got->lease_duration_ms, 15'000);
    EXPECT_EQ(got->shards, 1);
}

TEST(ClusterSettings, AllOfThem) {
    const auto got = read_cluster_settings(
        "namespaces: [ml, prod]\nselector: team=a\nshadow: true\nowner: east\nshards: 4\nsync_s: 30\n"
        "cluster_secrets_namespace: keda-system\nlease: {name: l, namespace: ops, identity: me, duration_s: 6}\n");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->namespaces, (std::vector<std::string>{"ml", "prod"}));
    EXPECT_EQ(got->selector, "team=a");
    EXPECT_TRUE(got->shadow);
    EXPECT_EQ(got->owner, "east");
    EXPECT_EQ(got->shards, 4);
    EXPECT_EQ(got->sync_ms, 30'000);
    EXPECT_EQ(got->cluster_secrets_namespace, "keda-system");
    EXPECT_EQ(got->lease_name, "l");
    EXPECT_EQ(got->lease_namespace, "ops");
    EXPECT_EQ(got->identity, "me");
    EXPECT_EQ(got->lease_duration_ms, 6'000);
}

TEST(ClusterSettings, WhatIsWrongIsNamedWithItsPlace) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {R"({"shard": 2})", "shard"},
        {R"({"lease": {"duration": 5}})", "lease.duration"},
        {R"({"lease": {"duration_s": 2}})", "lease.duration_s"},
        {R"({"shards": 0})", "shards"},
        {R"({"shards": 257})", "shards"},
        {R"({"namespaces": ["a/b"]})", "namespaces"},
        {R"({"lease": {"name": "../x"}})", "lease.name"},
        {"[1]", "mapping"},
    };
    for (const auto& [text, named] : wrong) {
        const auto got = read_cluster_settings(text);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.failure().status, status::invalid);
        const std::string told = got.failure().message + " " + got.failure().where.path;
        EXPECT_NE(told.find(named), std::string::npos) << told;
    }
}

constexpr std::int64_t sync_ms = 15'000;

compared_sizes sizes(std::int32_t ours, std::int32_t theirs) {
    compared_sizes out;
    out.ours = ours;
    out.theirs = theirs;
    return out;
}

TEST(Comparison, ADifferenceThatLastsIsToldOnce) {
    comparison one;
    EXPECT_FALSE(one.differs(sizes(5, 2), 0, sync_ms));
    EXPECT_FALSE(one.differs(sizes(5, 2), 15'000, sync_ms));
    EXPECT_TRUE(one.differs(sizes(5, 2), 15'001, sync_ms));
    EXPECT_TRUE(one.is_different());
    EXPECT_FALSE(one.differs(sizes(6, 2), 60'000, sync_ms));
    EXPECT_FALSE(one.differs(sizes(2, 2), 75'000, sync_ms));
    EXPECT_FALSE(one.is_different());
    EXPECT_FALSE(one.differs(sizes(5, 2), 90'000, sync_ms));
    EXPECT_TRUE(one.differs(sizes(5, 2), 106'000, sync_ms));
}

TEST(Comparison, OneThatPassesIsNone) {
    comparison one;
    EXPECT_FALSE(one.differs(sizes(5, 2), 0, sync_ms));
    EXPECT_FALSE(one.differs(sizes(5, 5), 14'000, sync_ms));
    EXPECT_FALSE(one.differs(sizes(6, 5), 20'000, sync_ms));
    EXPECT_FALSE(one.differs(sizes(6, 5), 34'000, sync_ms));
}

// Less may be what a window would have held, as long as ours is not full.
TEST(Comparison, LessCountsOnceTheWindowsAreFull) {
    comparison one;
    EXPECT_FALSE(one.differs(sizes(1, 5), 0, sync_ms));
    EXPECT_FALSE(one.differs(sizes(1, 5), 299'999, sync_ms));
    EXPECT_FALSE(one.differs(sizes(1, 5), 300'000, sync_ms));
    EXPECT_TRUE(one.differs(sizes(1, 5), 315'001, sync_ms));
}

TEST(Comparison, WhoHasNoMetricsHasNoWord) {
    comparison one;
    compared_sizes blind = sizes(5, 2);
    blind.theirs_counts = false;
    for (std::int64_t at = 0; at < 100'000; at += 10'000) EXPECT_FALSE(one.differs(blind, at, sync_ms));
}

}  // namespace
}  // namespace gputide::runtime
