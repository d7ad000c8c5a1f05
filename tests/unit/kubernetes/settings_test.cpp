// A cluster's settings, as text and as values.
#include "kubernetes/api/settings.hpp"

#include <gtest/gtest.h>

namespace gputide::kubernetes {
namespace {

TEST(ClusterSettings, Defaults) {
    const auto got = read_settings("");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_TRUE(got->namespaces.empty());
    EXPECT_FALSE(got->shadow);
    EXPECT_EQ(got->lease_name, "gputide");
    EXPECT_EQ(got->lease_duration_ms, 15'000);
    EXPECT_EQ(got->shards, 1);
    EXPECT_FALSE(got->hpa_version || got->keda_version) << "as found on the cluster";
}

TEST(ClusterSettings, NothingIsAskedBackUnlessTheHostSaysSo) {
    EXPECT_FALSE(read_settings("")->asks_back);
    EXPECT_EQ(read_settings("")->start_ms, 900'000);
    const auto got = read_settings(R"({"ask_back": true, "start_delay_s": 120})");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_TRUE(got->asks_back);
    EXPECT_EQ(got->start_ms, 120'000);
    EXPECT_FALSE(read_settings(R"({"start_delay_s": 0})"));
}

TEST(ClusterSettings, VersionsAreThoseThatAreKnown) {
    const auto got = read_settings(R"({"hpa_version": "1.36", "keda_version": "2.20"})");
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->hpa_version, 36);
    EXPECT_EQ(got->keda_version, 20);
    const auto wrong = read_settings(R"({"keda_version": "2.19"})");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.failure().message.find("2.20 to 2.21"), std::string::npos) << wrong.failure().message;
}

TEST(ClusterSettings, AllOfThem) {
    const auto got = read_settings(
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

TEST(ClusterSettings, EachCapabilityOfTenantsHasAMember) {
    for (std::size_t i = 0; i < auth::capability_count; ++i) {
        const std::string name(auth::capabilities()[i].name);
        const auto got = read_settings("{\"tenants\": {\"" + name + "\": [\"ml\", \"*\"]}}");
        ASSERT_TRUE(got) << got.failure().message;
        for (std::size_t other = 0; other < auth::capability_count; ++other)
            EXPECT_EQ(got->tenants.namespaces[other].size(), other == i ? 2U : 0U) << name;
    }
    EXPECT_FALSE(read_settings("")->tenants.limits_cluster_secrets);
    const auto none = read_settings(R"({"cluster_secret_hosts": []})");
    ASSERT_TRUE(none) << none.failure().message;
    EXPECT_TRUE(none->tenants.limits_cluster_secrets);
}

TEST(ClusterSettings, WhatIsWrongIsNamedWithItsPlace) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {R"({"shard": 2})", "shard"},
        {R"({"lease": {"duration": 5}})", "lease.duration"},
        {R"({"tenants": {"everything": ["ml"]}})", "tenants.everything"},
        {R"({"tenants": {"programs": ["M L"]}})", "tenants.programs"},
        {R"({"namespaces": ["*"]})", "namespaces"},
        {R"({"lease": {"duration_s": 2}})", "lease.duration_s"},
        {R"({"shards": 0})", "shards"},
        {R"({"shards": 257})", "shards"},
        {R"({"namespaces": ["a/b"]})", "namespaces"},
        {R"({"lease": {"name": "../x"}})", "lease.name"},
        {"[1]", "mapping"},
        {R"({"service_account_token_mode": "off"})", "service-account-token-mode"},
        {R"({"service_account_token_audiences": "- a"})", "KEDA_SERVICE_ACCOUNT_TOKEN_AUDIENCES"},
    };
    for (const auto& [text, named] : wrong) {
        const auto got = read_settings(text);
        ASSERT_FALSE(got) << text;
        EXPECT_EQ(got.failure().status, status::invalid);
        const std::string told = got.failure().message + " " + got.failure().where.path;
        EXPECT_NE(told.find(named), std::string::npos) << told;
    }
}

}  // namespace
}  // namespace gputide::kubernetes
