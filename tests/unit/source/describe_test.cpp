// Tests what a trigger says before anything is opened, with and without the address and the credential it would need.
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::metadata;

manifest::trigger trigger(const std::string& type, const metadata& keys) {
    manifest::trigger out;
    out.type = type;
    out.metadata = keys;
    return out;
}

result<source::description> described(const manifest::trigger& from, text::report* findings = nullptr) {
    return source::describe(from, {}, manifest::profile::standard, findings);
}

TEST(Describe, NamesUnknownKeysWhateverElseIsWrong) {
    const auto remedy = [](const manifest::trigger& from) {
        text::report findings;
        (void)described(from, &findings);
        for (const text::finding& finding : findings.findings) {
            if (finding.code == "unknown-key") return finding.remedy;
        }
        return std::string("none");
    };
    EXPECT_EQ(remedy(trigger("prometheus", {{"serverAddress", "http://p"}, {"query", "up"}, {"treshold", "3"}})),
              "did you mean \"threshold\"?");
    EXPECT_EQ(remedy(trigger("dcgm", {{"metric", "x"}, {"selctor", "a"}})), "did you mean \"selector\"?");
    EXPECT_EQ(remedy(trigger("kubernetes", {{"metric", "queue"}, {"selctor", "a=b"}})), "did you mean \"selector\"?");
    EXPECT_EQ(remedy(trigger("metrics-api", {{"valueLocaton", "a"}})), "did you mean \"valueLocation\"?");
    EXPECT_EQ(remedy(trigger("external", {{"theirOwn", "x"}})), "none") << "keys of other types are not judged here";
}

// One of each type as it stands where a policy alone is wanted: no address, no credential.
TEST(Describe, NeedsNoAddressAndNoCredential) {
    const std::vector<std::pair<manifest::trigger, std::string>> all = {
        {trigger("prometheus", {{"query", "up"}, {"threshold", "5"}, {"authModes", "bearer"}}), "s0-prometheus"},
        {trigger("dcgm", {{"metric", "DCGM_FI_DEV_GPU_UTIL"}, {"threshold", "5"}, {"authModes", "tls"}}), "s0-dcgm"},
        {trigger("metrics-api", {{"valueLocation", "a.b"}, {"targetValue", "5"}, {"authModes", "apiKey"}}),
         "s0-metric-api-a-b"},
        {trigger(
             "azure-monitor",
             {{"metricName", "gpu"}, {"metricAggregationType", "Average"}, {"targetValue", "5"}, {"cloud", "Mars"}}),
         "s0-azure-monitor-gpu"},
        {trigger("azure-log-analytics", {{"query", "T | count"}, {"threshold", "5"}}), "s0-azure-log-analytics-"},
    };
    for (const auto& [from, name] : all) {
        const auto got = described(from);
        ASSERT_TRUE(got) << from.type << ": " << got.failure().message;
        EXPECT_EQ(got->target.target_milli, 5'000) << from.type;
        EXPECT_EQ(got->target.metric_name, name);
        EXPECT_EQ(got->lacking.status, status::invalid) << from.type;
        const auto opened = source::open(*got, {});
        ASSERT_FALSE(opened) << from.type;
        EXPECT_EQ(opened.failure().message, got->lacking.message);
    }
}

TEST(Describe, NeedsTheThreshold) {
    EXPECT_FALSE(described(trigger("prometheus", {{"serverAddress", "http://p"}, {"query", "up"}})));
    const auto both = described(trigger("prometheus", {{"query", "up"}}));
    ASSERT_FALSE(both);
    for (const char* part : {"serverAddress", "threshold"}) {
        EXPECT_NE(both.failure().message.find(part), std::string::npos) << both.failure().message;
    }
}

TEST(Describe, ACloudThatDoesNotExistIsKnownBeforeItIsOpened) {
    manifest::trigger from = testing::prometheus_trigger({{"cloud", "Mars"}});
    from.auth.provider = "azure-workload";
    const auto got = described(from);
    ASSERT_TRUE(got);
    EXPECT_NE(got->lacking.message.find("Mars"), std::string::npos) << got->lacking.message;
    EXPECT_EQ(got->lacking.where.text(), "trigger 0 (prometheus)");
}

TEST(Describe, AThresholdBelow0IsAnErrorThatSaysIt) {
    manifest::trigger below = trigger("prometheus", {{"query", "up"}, {"threshold", "-1"}});
    below.metadata_places["threshold"] = {"so.yaml", 17, 3, "spec.triggers[0].metadata.threshold"};
    const auto got = described(below);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().message, "threshold: expected a number above 0, got -1");
    EXPECT_EQ(got.failure().where.line, 17);
    EXPECT_FALSE(described(trigger("values", {{"threshold", "-0.5"}})));
    text::report findings;
    const auto strict = source::describe(below, {}, manifest::profile::strict, &findings);
    ASSERT_TRUE(strict) << strict.failure().message;
    EXPECT_EQ(strict->target.threshold, -1.0);
    EXPECT_NE(text::render(findings).find("the threshold -1 becomes 0"), std::string::npos);
}

TEST(Describe, AThresholdThatComesTo0IsAWarningWhateverTheType) {
    for (const char* type : {"prometheus", "dcgm", "values"}) {
        text::report findings;
        EXPECT_TRUE(source::describe(
            trigger(type, {{"query", "up"}, {"metric", "DCGM_FI_DEV_GPU_UTIL"}, {"threshold", "0.0001"}}), {},
            manifest::profile::standard, &findings))
            << type;
        EXPECT_NE(text::render(findings).find("the threshold 0.0001 becomes 0"), std::string::npos) << type;
    }
    text::report findings;
    EXPECT_TRUE(source::describe(trigger("external", {}), {}, manifest::profile::standard, &findings));
    EXPECT_EQ(text::render(findings).find("becomes 0"), std::string::npos) << "its server gives the target";
}

TEST(Describe, AsJson) {
    text::report findings;
    const auto got =
        described(testing::with_auth(testing::prometheus_trigger({{"serverAddress", "http://u:planted@p"},
                                                                  {"authModes", "bearer, tls"},
                                                                  {"customHeaders", "X-A=1,X-B=2"},
                                                                  {"timeout", "2s"},
                                                                  {"ignoreNullValues", "false"},
                                                                  {"querry", "x"}}),
                                     {{"bearerToken", "planted"}, {"cert", "planted"}, {"key", "planted"}}),
                  &findings);
    ASSERT_TRUE(got) << got.failure().message;
    const std::string json = source::describe_json(*got, findings);
    for (
        const char* part :
        {R"("type":"prometheus","metric_name":"s0-prometheus","target":{"type":"AverageValue","value_milli":5000,"threshold":5)",
         R"("asks":"up","pushed":false,"keeps_past":true)", R"("customHeaders":{"X-A":"1","X-B":"2"})",
         R"("ignoreNullValues":false)", R"("timeout":2000)", R"("unsafeSsl":false)", R"("threshold":5)",
         R"("authModes":["bearer","tls"])", R"("bearerToken":"***")", "did you mean"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << "\n" << json;
    }
    EXPECT_EQ(json.find("planted"), std::string::npos) << json;
}

}  // namespace
}  // namespace gputide
