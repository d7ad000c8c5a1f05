// The registry of metrics: spellings, and rows that contradict each other.
#include "source/known_metrics.hpp"

#include "source/known_metrics_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace gputide::source {
namespace {

TEST(KnownMetrics, UnderEachSpelling) {
    for (const char* name : {"vllm:kv_cache_usage_perc", "vllm_kv_cache_usage_perc", "VLLM:KV_CACHE_USAGE_PERC",
                             "prometheus.googleapis.com|vllm:kv_cache_usage_perc|gauge"}) {
        const known_metric* known = find_known_metric(name);
        ASSERT_NE(known, nullptr) << name;
        EXPECT_EQ(std::string_view(known->name), "vllm:kv_cache_usage_perc");
        EXPECT_EQ(known->max, 1.0);
    }
    EXPECT_EQ(find_known_metric("http_requests_total"), nullptr);
    EXPECT_EQ(find_known_metric(""), nullptr);
}

TEST(KnownMetrics, AFamilyStandsBehindItsOthers) {
    EXPECT_EQ(std::string_view(find_known_metric("sglang_token_usage")->name), "sglang:token_usage");
    EXPECT_EQ(std::string_view(find_known_metric("sglang:anything_else")->name), "sglang:*");
    EXPECT_TRUE(find_known_metric("vllm:time_per_output_token_seconds_bucket")->successor ==
                std::string_view("vllm:inter_token_latency_seconds"));
}

TEST(KnownMetrics, ANameAndTheOneThatTookItsPlace) {
    EXPECT_TRUE(succeeds("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"));
    EXPECT_TRUE(succeeds("vllm_kv_cache_usage_perc", "vllm_gpu_cache_usage_perc"));
    EXPECT_FALSE(succeeds("vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc"));
    EXPECT_FALSE(succeeds("a", "b"));
    EXPECT_TRUE(succeeds("vllm:inter_token_latency_seconds_bucket", "vllm:time_per_output_token_seconds_bucket"));
    EXPECT_FALSE(succeeds("vllm:inter_token_latency_seconds_sum", "vllm:time_per_output_token_seconds_bucket"));
}

TEST(KnownMetrics, RowsHoldTogether) {
    std::set<std::string_view> names;
    for (const metric_row& row : metric_rows) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_FALSE(row.server.name.empty()) << row.name;
        // The row itself is found by its name: no row in front of it takes it.
        std::string name(row.name);
        if (name.back() == '*') name.back() = 'x';
        EXPECT_EQ(std::string_view(find_known_metric(name)->name), row.name);
        if (row.successor.empty()) continue;
        const known_metric* successor = find_known_metric(row.successor);
        ASSERT_NE(successor, nullptr) << row.name;
        EXPECT_TRUE(successor->gone_since.empty()) << row.name << " → " << row.successor;
        EXPECT_EQ(successor->max, row.unit.max) << row.name << " → " << row.successor;
    }
}

}  // namespace
}  // namespace gputide::source
