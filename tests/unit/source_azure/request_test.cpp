// Tests what is sent, to the byte where that matters.
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::logs_trigger;
using testing::monitor_trigger;
using testing::noon_ms;

http::request request_of(const manifest::trigger& from, manifest::profile as = manifest::profile::standard) {
    const auto opened = testing::open_source(from, {}, as, {});
    EXPECT_TRUE(opened) << (opened ? "" : opened.failure().message);
    if (!opened) return {};
    auto out = (*opened)->request(noon_ms);
    EXPECT_TRUE(out) << (out ? "" : out.failure().message);
    return out ? *out : http::request();
}

std::string header_of(const http::request& from, std::string_view name) {
    const http::header* found = from.find(name);
    return found == nullptr ? "" : std::string(found->value.reveal());
}

TEST(MonitorRequest, AsksForTheLastFiveMinutes) {
    const auto got = request_of(monitor_trigger());
    EXPECT_EQ(got.method, "GET");
    EXPECT_EQ(got.url,
              "https://management.azure.com/subscriptions/s1/resourceGroups/g1/providers/Microsoft.Compute/"
              "virtualMachineScaleSets/gpu/providers/Microsoft.Insights/metrics?api-version=2018-01-01"
              "&metricnames=GpuUtil&aggregation=Average"
              "&timespan=2025-10-09T08%3A48%3A20Z%2F2025-10-09T08%3A53%3A20Z");
}

TEST(MonitorRequest, EscapesFilterNamespaceAndNames) {
    const auto got = request_of(monitor_trigger({{"metricFilter", "instance eq '*'"},
                                                 {"metricNamespace", "My GPUs"},
                                                 {"metricName", "used, percent"},
                                                 {"resourceGroupName", "g (1)"},
                                                 {"metricAggregationInterval", "0:15:0"}}));
    EXPECT_NE(got.url.find("&$filter=instance%20eq%20%27%2A%27"), std::string::npos) << got.url;
    EXPECT_NE(got.url.find("&metricnamespace=My%20GPUs&"), std::string::npos) << got.url;
    EXPECT_NE(got.url.find("metricnames=used%252C%20percent&"), std::string::npos) << got.url;
    EXPECT_NE(got.url.find("/resourceGroups/g%20%281%29/"), std::string::npos) << got.url;
    EXPECT_NE(got.url.find("timespan=2025-10-09T08%3A38%3A20Z"), std::string::npos) << got.url;
}

TEST(MonitorRequest, SendsTheInterval) {
    const auto got = request_of(monitor_trigger({{"metricInterval", "PT1M"}}));
    EXPECT_NE(got.url.find("&interval=PT1M"), std::string::npos) << got.url;
    EXPECT_EQ(request_of(monitor_trigger({{"metricInterval", ""}})).url.find("interval="), std::string::npos);
    const auto batch = request_of(monitor_trigger({{"gputide.io/batch-region", "eastus"}, {"metricInterval", "FULL"}}));
    EXPECT_NE(batch.url.find("&interval=FULL"), std::string::npos) << batch.url;
    manifest::trigger_rules older;
    older.versions.keda = 20;
    const auto opened =
        testing::open_source(monitor_trigger({{"metricInterval", "PT1M"}}), older, manifest::profile::standard, {});
    ASSERT_TRUE(opened);
    EXPECT_EQ((*opened)->request(noon_ms)->url.find("interval="), std::string::npos);
}

TEST(MonitorRequest, StrictReadsTheIntervalsNumbersWhenItAsks) {
    const auto from = monitor_trigger({{"metricAggregationInterval", "0:x:0"}});
    const auto opened = testing::open_source(from, {}, manifest::profile::strict, {});
    ASSERT_TRUE(opened);
    const auto got = (*opened)->request(noon_ms);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::invalid);
    EXPECT_EQ(got.failure().where.text(), from.label());
}

TEST(MonitorRequest, Batch) {
    const auto got = request_of(monitor_trigger(
        {{"gputide.io/batch-region", "eastus"}, {"resourceURI", "Ns/type/a,Ns/type/b"}, {"metricFilter", "x eq '1'"}}));
    EXPECT_EQ(got.method, "POST");
    EXPECT_EQ(got.url,
              "https://eastus.metrics.monitor.azure.com/subscriptions/s1/metrics:getBatch?api-version=2023-10-01"
              "&metricnames=GpuUtil&metricnamespace=Ns%2Ftype&aggregation=Average"
              "&starttime=2025-10-09T08%3A48%3A20Z&endtime=2025-10-09T08%3A53%3A20Z&filter=x%20eq%20%271%27");
    EXPECT_EQ(got.body.reveal(), R"({"resourceids":["/subscriptions/s1/resourceGroups/g1/providers/Ns/type/a",)"
                                 R"("/subscriptions/s1/resourceGroups/g1/providers/Ns/type/b"]})");
    EXPECT_EQ(header_of(got, "Content-Type"), "application/json");
}

TEST(LogsRequest, PostsQueryAndTimespan) {
    const auto got =
        request_of(logs_trigger({{"query", "print \"a\""}, {"gputide.io/timespan", "PT10M"}, {"timeout", "30s"}}));
    EXPECT_EQ(got.method, "POST");
    EXPECT_EQ(got.url,
              "https://api.loganalytics.azure.com/v1/workspaces/" + std::string(testing::workspace) + "/query");
    EXPECT_EQ(got.body.reveal(), R"({"query":"print \"a\"","timespan":"PT10M"})");
    EXPECT_EQ(header_of(got, "Content-Type"), "application/json");
    EXPECT_EQ(header_of(got, "Prefer"), "wait=30");
    EXPECT_EQ(got.attempt_timeout_ms, 30'000);
}

TEST(LogsRequest, StrictSendsWhatKedaSends) {
    const auto got = request_of(logs_trigger(), manifest::profile::strict);
    EXPECT_EQ(got.body.reveal(), "{\"query\":\"T | summarize max(Val)\"}");
    EXPECT_EQ(header_of(got, "Prefer"), "");
}

TEST(LogsRequest, AServerNeverWaitsLongerThanItCan) {
    EXPECT_EQ(header_of(request_of(logs_trigger({{"timeout", "20m"}})), "Prefer"), "wait=600");
}

}  // namespace
}  // namespace gputide
