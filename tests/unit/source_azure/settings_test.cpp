// KEDA's keys, defaults and refusals of both triggers, and what the default profile refuses beyond them.
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/log_analytics/log_analytics.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace gputide {
namespace {

using testing::logs_trigger;
using testing::metadata;
using testing::monitor_trigger;
using testing::with_secret;

constexpr auto strict = manifest::profile::strict;

auto read_monitor(const manifest::trigger& from, manifest::profile as = manifest::profile::standard,
                  const manifest::trigger_rules& rules = {}) {
    return testing::settings_of(&source::azure_monitor::read_settings, source::azure_monitor::keys.all(), from, rules,
                                as);
}

auto monitor(const metadata& more, manifest::profile as = manifest::profile::standard,
             manifest::trigger_rules rules = {}) {
    return read_monitor(monitor_trigger(more), as, rules);
}

auto logs(const metadata& more, manifest::profile as = manifest::profile::standard) {
    return testing::settings_of(&source::log_analytics::read_settings, source::log_analytics::keys.all(),
                                logs_trigger(more), {}, as);
}

template <class T>
void refuses(const result<T>& got, const std::string& text) {
    ASSERT_FALSE(got) << "expected an error with: " << text;
    EXPECT_EQ(got.failure().status, status::invalid);
    EXPECT_EQ(got.failure().error_class, error_class::config);
    EXPECT_NE(got.failure().message.find(text), std::string::npos) << got.failure().message;
}

TEST(MonitorSettings, Defaults) {
    const auto got = monitor({});
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->resources.front(),
              "/subscriptions/s1/resourceGroups/g1/providers/Microsoft.Compute/virtualMachineScaleSets/gpu");
    EXPECT_EQ(got->span_ms, 300'000);
    EXPECT_TRUE(got->last_non_null);
    EXPECT_EQ(got->where.base, "https://management.azure.com");
    EXPECT_EQ(got->where.audience.scope, "https://management.azure.com/.default");
    EXPECT_EQ(got->target.metric_name, "s0-azure-monitor-GpuUtil");
    EXPECT_EQ(got->target.target_milli, 80'000);
}

TEST(MonitorSettings, RefuseWhatCannotBeAsked) {
    for (const char* key :
         {"resourceURI", "tenantId", "subscriptionId", "resourceGroupName", "metricName", "metricAggregationType"}) {
        refuses(monitor({{key, ""}}), "missing required parameter \"" + std::string(key) + "\"");
    }
    refuses(monitor({{"targetValue", ""}}), "no targetValue given");
    refuses(monitor({{"targetValue", "0"}}), "no targetValue given");
    refuses(monitor({{"targetValue", "many"}}), "unable to set param \"targetValue\"");
    refuses(monitor({{"resourceURI", "a/b"}}), "Should be namespace/resource_type/resource_name");
    refuses(monitor({{"resourceURI", "a/b/c/d"}}), "Should be namespace/resource_type/resource_name");
    refuses(monitor({{"metricAggregationType", "average"}}), "invalid metricAggregationType given");
    refuses(monitor({{"metricAggregationInterval", "15m"}}), "hh:mm:ss");
}

TEST(MonitorSettings, NamesThatWouldLeadElsewhereAreRefused) {
    for (const char* uri : {"a/../b", "a//c", "a/b?x=1/c", "a/b/%2e%2e"})
        refuses(monitor({{"resourceURI", uri}}), "resourceURI");
    refuses(monitor({{"subscriptionId", "s/../x"}}), "subscriptionId: expected one name");
    refuses(monitor({{"resourceGroupName", ".."}}), "resourceGroupName: expected one name");
}

TEST(MonitorSettings, TheSpanIsHoursMinutesSeconds) {
    EXPECT_EQ(monitor({{"metricAggregationInterval", "1:02:03"}})->span_ms, 3'723'000);
    for (const char* wrong : {"0:x:0", "0:-5:0", "0:0:0", "9999:0:0", "::"}) {
        refuses(monitor({{"metricAggregationInterval", wrong}}), "metricAggregationInterval");
        const auto later = monitor({{"metricAggregationInterval", wrong}}, strict);
        ASSERT_TRUE(later) << wrong;  // KEDA reads the numbers when it asks
        EXPECT_FALSE(later->span_error.empty());
    }
}

TEST(MonitorSettings, StrictTakesWhatKedaTakes) {
    EXPECT_TRUE(monitor({{"metricAggregationType", "None"}}, strict));
    refuses(monitor({{"metricAggregationType", "None"}}), "metricAggregationType");
    EXPECT_FALSE(monitor({}, strict)->last_non_null);
    manifest::trigger_rules rules;
    rules.last_non_null = true;
    EXPECT_TRUE(monitor({}, strict, rules)->last_non_null);
    const auto own = monitor({{"cloud", "private"}, {"azureResourceManagerEndpoint", "https://m.example"}}, strict);
    EXPECT_EQ(own->where.base, "https://management.azure.com");
}

TEST(MonitorSettings, CloudsHaveTheirHostsAndScopes) {
    const auto us = monitor({{"cloud", "azureUSGovernmentCloud"}});
    EXPECT_EQ(us->where.base, "https://management.usgovcloudapi.net");
    EXPECT_EQ(us->where.audience.scope, "https://management.usgovcloudapi.net//.default");
    EXPECT_EQ(us->where.authority, "https://login.microsoftonline.us");
    EXPECT_EQ(monitor({{"cloud", "AzureChinaCloud"}})->where.base, "https://management.chinacloudapi.cn");
    EXPECT_EQ(monitor({{"cloud", "AzurePublicCloud"}})->where.authority, std::nullopt);
    const auto own = monitor({{"cloud", "Private"},
                              {"azureResourceManagerEndpoint", "https://management.stack.example/"},
                              {"activeDirectoryEndpoint", "https://login.stack.example"}});
    ASSERT_TRUE(own) << own.failure().message;
    EXPECT_EQ(own->where.base, "https://management.stack.example");
    EXPECT_EQ(own->where.audience.scope, "https://management.stack.example/.default");
    EXPECT_EQ(own->where.audience.hosts.front(), "management.stack.example");
    EXPECT_EQ(own->where.authority, "https://login.stack.example");
    refuses(monitor({{"cloud", "Private"}}), "azureResourceManagerEndpoint must be provided for Private cloud type");
    refuses(monitor({{"cloud", "Private"}, {"azureResourceManagerEndpoint", "stack"}}), "expected an https URL");
    refuses(monitor({{"cloud", "azureGermanCloud"}}),
            "there is no cloud environment matching the name azureGermanCloud");
}

TEST(MonitorSettings, WhoAsks) {
    const auto without = [](const metadata& parameters) {
        return read_monitor(with_secret(monitor_trigger(), parameters));
    };
    refuses(without({{"activeDirectoryClientPassword", "p"}}), "no activeDirectoryClientId given");
    refuses(without({{"activeDirectoryClientId", "c"}}), "no activeDirectoryClientPassword given");
    EXPECT_TRUE(without({{"activeDirectoryClientId", "c"}, {"activeDirectoryClientPassword", "p"}}));
    manifest::trigger other = monitor_trigger();
    other.auth.provider = "aws";
    refuses(read_monitor(other), "azure Monitor doesn't support pod identity aws");
}

TEST(MonitorSettings, BatchTakesManyResourcesOfARegion) {
    const auto got = monitor({{"gputide.io/batch-region", "EastUS"}, {"resourceURI", "a/b/c, a/b/d"}});
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->resources.size(), 2U);
    EXPECT_EQ(got->where.base, "https://eastus.metrics.monitor.azure.com");
    EXPECT_EQ(got->where.audience.scope, "https://metrics.monitor.azure.com/.default");
    refuses(monitor({{"gputide.io/batch-region", "evil.example/"}}), "expected a region such as eastus");
    refuses(monitor({{"gputide.io/batch-region", "eastus"},
                     {"cloud", "private"},
                     {"azureResourceManagerEndpoint", "https://m.example"}}),
            "a private cloud has no batch endpoint");
    std::string many = "a/b/c0";
    for (int i = 1; i <= 50; ++i) many += ",a/b/c" + std::to_string(i);
    refuses(monitor({{"gputide.io/batch-region", "eastus"}, {"resourceURI", many}}), "at most 50 resources, got 51");
}

// ---- azure-log-analytics ------------------------------------------------------------------------------------------------
TEST(LogsSettings, Defaults) {
    const auto got = logs({});
    ASSERT_TRUE(got) << got.failure().message;
    EXPECT_EQ(got->where.base, "https://api.loganalytics.azure.com");
    EXPECT_EQ(got->where.audience.scope, "https://api.loganalytics.io/.default");
    EXPECT_EQ(got->timespan, "P31D");
    EXPECT_EQ(got->attempt_timeout_ms, 3'000);
    EXPECT_EQ(got->target.metric_name, "s0-azure-log-analytics-" + std::string(testing::workspace));
    const auto keda = logs({}, strict);
    EXPECT_EQ(keda->where.base, "https://api.loganalytics.io");
    EXPECT_EQ(keda->timespan, "");
}

TEST(LogsSettings, RefuseWhatCannotBeAsked) {
    for (const char* key : {"workspaceId", "query", "threshold"}) {
        refuses(logs({{key, ""}}),
                std::string(key) + " was not found in metadata. Check your ScaledObject configuration");
    }
    refuses(logs({{"workspaceId", "../secrets"}}), "workspaceId: expected the workspace's id, a GUID");
    refuses(logs({{"threshold", "x"}}), "unable to set param \"threshold\"");
    refuses(logs({{"gputide.io/timespan", "ten minutes"}}), "ISO 8601");
    refuses(logs({{"cloud", "private"}}), "logAnalyticsResourceURL must be provided for Private cloud type");
    for (const char* good : {"PT10M", "P1D", "2025-10-09T00:00:00Z/PT1H"}) {
        EXPECT_TRUE(logs({{"gputide.io/timespan", good}})) << good;
    }
}

TEST(LogsSettings, MillisecondsOnce) {
    EXPECT_EQ(logs({{"timeout", "30s"}})->attempt_timeout_ms, 30'000);
    EXPECT_EQ(logs({{"timeout", "1500"}})->attempt_timeout_ms, 1'500);
    EXPECT_EQ(logs({{"timeout", "1500"}}, strict)->attempt_timeout_ms, 86'400'000);  // a million times longer, bounded
}

TEST(LogsSettings, MetricsThatNobodyCollectsAreWarnedOf) {
    text::report findings;
    const auto trigger = logs_trigger({{"query", "InsightsMetrics | where Name == 'containergpudutycycle'"}});
    ASSERT_TRUE(testing::settings_of(&source::log_analytics::read_settings, source::log_analytics::keys.all(), trigger,
                                     {}, manifest::profile::standard, &findings));
    const auto& all = findings.findings;
    const auto found =
        std::find_if(all.begin(), all.end(), [](const auto& entry) { return entry.code == "metric-not-collected"; });
    ASSERT_NE(found, all.end());
    EXPECT_NE(found->message.find("DCGM exporter"), std::string::npos);
    EXPECT_EQ(source::log_analytics::vanished_metric("nodeGpuAllocatable"), "");
}

}  // namespace
}  // namespace gputide
