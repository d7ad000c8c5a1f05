// Tests what the number of a query means.  Queries are shapes that people use for GPU work.
#include "source/query_shape.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gputide::source {
namespace {

quantity of(std::string_view query) { return shape_of_query(query).quantity; }
double max_of(std::string_view query) { return shape_of_query(query).max; }

TEST(QueryShape, AveragesQuantilesAndQuotientsAreLevels) {
    for (const char* query :
         {"avg(vllm:num_requests_waiting)", R"(avg(DCGM_FI_DEV_GPU_UTIL{pod=~"llm-.*"}))", "100 * avg(used / 100)",
          "histogram_quantile(0.95, sum(rate(b[2m])) by (le))", "quantile(0.9, x)", "sum(a) / count(a)",
          "sum by (r) (rate(a[15s])) / sum by (r) (rate(b[15s]) * 1000 + 0.001)", "avg(a) * 100", "1 - avg(idle)",
          "max(avg by (pod) (a))", "avg(x) > 3", "avg(x) or vector(0)", "scalar(avg(x))",
          "avg_over_time(queue_usage_ratio[5m])", "DCGM_FI_DEV_GPU_UTIL", "sum(a) / scalar(count(a))", "round(avg(x))",
          "avg(a) + avg(b)"}) {
        EXPECT_EQ(of(query), quantity::level) << query;
    }
}

TEST(QueryShape, SumsAndCountsAreTotals) {
    for (const char* query :
         {"sum(vllm:num_requests_waiting)", R"(sum(rate(http_requests_total{app="llm"}[1m])))", "count(up)",
          "sum(a) / 60", "2 * sum(a)", "sum(a) + sum(b)", "avg(a) * count(a)", "sum(backlog) / avg(per_replica)",
          "sum(a) or vector(0)", "sum(avg by (pod) (a))", "clamp_max(sum(a), 100)", "wva_desired_replicas"}) {
        EXPECT_EQ(of(query), quantity::total) << query;
    }
}

TEST(QueryShape, TheRestIsUnknown) {
    for (const char* query : {"queue_length", "rate(requests_total[1m])", "a / b", "sum(a) + avg(b)", "max(queue)",
                              "time()", "sum(x) > bool 3", "a ^ 2", "not a query("}) {
        EXPECT_EQ(of(query), quantity::unknown) << query;
    }
}

TEST(QueryShape, RangesFollowTheArithmetic) {
    EXPECT_EQ(max_of("avg(DCGM_FI_DEV_GPU_UTIL)"), 100.0);
    EXPECT_EQ(max_of("avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE)"), 1.0);
    EXPECT_EQ(max_of("avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE) * 100"), 100.0);
    EXPECT_EQ(max_of("max(vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc)"), 1.0);
    EXPECT_EQ(max_of("avg(DCGM_FI_DEV_GPU_UTIL) / 100"), 1.0);
    EXPECT_EQ(max_of("sum(DCGM_FI_DEV_GPU_UTIL)"), 1e8);
    EXPECT_EQ(max_of("clamp_max(DCGM_FI_DEV_GPU_UTIL, 50)"), 50.0);
    EXPECT_LE(max_of("-1 * DCGM_FI_DEV_GPU_UTIL"), 0.0);
    EXPECT_EQ(max_of("avg(DCGM_FI_DEV_GPU_UTIL > 1)"), 100.0);
    EXPECT_EQ(max_of("avg(1 < DCGM_FI_DEV_GPU_UTIL)"), 100.0);
    EXPECT_EQ(max_of("sum(DCGM_FI_DEV_FB_USED) / (sum(DCGM_FI_DEV_FB_USED) + sum(DCGM_FI_DEV_FB_FREE))"), 1.0);
    for (const char* query : {"sum(x)", "rate(DCGM_FI_DEV_GPU_UTIL[1m])", "avg(a) / avg(b)", "DCGM_FI_DEV_GPU_UTIL / 0",
                              "sum(a) / (sum(a) + sum(b))", "round(DCGM_FI_DEV_GPU_UTIL, 1000)",
                              "sum(rate(a[1m])) / (sum(rate(a[1h])) + sum(rate(b[1h])))",
                              "rate(a[1m]) / (rate(a[1m] offset 1h) + rate(b[1m]))",
                              "sum by (x) (rate(a[1m])) / (sum by (y) (rate(a[1m])) + sum by (y) (rate(b[1m])))"}) {
        EXPECT_TRUE(std::isinf(max_of(query))) << query;
    }
}

TEST(QueryShape, ADifferenceIsBoundedOnlyWhereBothSidesAre) {
    EXPECT_EQ(max_of("100 - avg(DCGM_FI_DEV_GPU_UTIL)"), 100.0);
    EXPECT_EQ(max_of("avg(DCGM_FI_DEV_GPU_UTIL) - 10"), 90.0);
    EXPECT_EQ(max_of("avg(DCGM_FI_DEV_GPU_UTIL) - -10"), 110.0);
    EXPECT_EQ(max_of("1 - avg(vllm:kv_cache_usage_perc) - rate(c_total[1m])"), 1.0);
    EXPECT_EQ(max_of("100 - clamp_min(x, -20)"), 120.0);
    EXPECT_EQ(max_of("100 - clamp(x, 0, 50)"), 100.0);
    EXPECT_EQ(max_of("100 - abs(x)"), 100.0);
    // The right side may be negative: 100 - (-20) is 120.
    for (const char* query : {"100 - x", "avg(DCGM_FI_DEV_GPU_UTIL) - avg(other)", "100 - delta(x[1m])",
                              "DCGM_FI_DEV_GPU_UTIL - deriv(DCGM_FI_DEV_GPU_UTIL[5m])", "100 - clamp_max(x, 50)"}) {
        EXPECT_TRUE(std::isinf(max_of(query))) << query;
    }
}

TEST(QueryShape, AReducerBesideTheQueryCountsForSeveralSeries) {
    EXPECT_EQ(shape_of_query("vllm:num_requests_waiting", "avg").quantity, quantity::level);
    EXPECT_EQ(shape_of_query("vllm:num_requests_waiting", "p95").quantity, quantity::level);
    EXPECT_EQ(shape_of_query("sum by (pod) (x)", "avg").quantity, quantity::level);
    EXPECT_EQ(shape_of_query("x", "sum").quantity, quantity::total);
    EXPECT_EQ(shape_of_query("x", "max").quantity, quantity::unknown);
    EXPECT_EQ(shape_of_query("sum(x)", "avg").quantity, quantity::total);
    EXPECT_EQ(shape_of_query("sum(x) / 60", "avg").quantity, quantity::total);
}

TEST(QueryShape, SeriesOfAPageAreAsTheEqualQuery) {
    const auto same = [](const query_shape& page, const query_shape& query) {
        return page.quantity == query.quantity && page.max == query.max && page.metrics == query.metrics;
    };
    const char* const metric = "DCGM_FI_DEV_GPU_UTIL";
    EXPECT_TRUE(
        same(shape_of_series({.metric = metric, .reduce = "avg"}), shape_of_query("avg(DCGM_FI_DEV_GPU_UTIL)")));
    EXPECT_TRUE(
        same(shape_of_series({.metric = metric, .reduce = "sum"}), shape_of_query("sum(DCGM_FI_DEV_GPU_UTIL)")));
    EXPECT_TRUE(same(shape_of_series({.metric = metric, .scale = 0.01, .reduce = "max"}),
                     shape_of_query("max(DCGM_FI_DEV_GPU_UTIL) * 0.01")));
    EXPECT_TRUE(same(shape_of_series({.metric = metric, .is_rate = true, .reduce = "avg"}),
                     shape_of_query("avg(rate(DCGM_FI_DEV_GPU_UTIL[1m]))")));
    EXPECT_TRUE(same(shape_of_series({.metric = metric, .group_reduce = "max", .reduce = "avg"}),
                     shape_of_query("avg(max by (pod) (DCGM_FI_DEV_GPU_UTIL))")));
    EXPECT_EQ(shape_of_series({.metric = "used", .max = 1.0, .scale = 100.0, .reduce = "avg"}).max, 100.0);
}

TEST(QueryShape, OneMetricUnderTwoNames) {
    const char* const both =
        "sum(llm_d_epp_flow_control_queue_size) + sum(inference_extension_flow_control_queue_size)";
    EXPECT_EQ(shape_of_query(both).counted_twice,
              "llm_d_epp_flow_control_queue_size and inference_extension_flow_control_queue_size");
    EXPECT_EQ(shape_of_query("sum(llm_d_epp_flow_control_queue_size) or "
                             "sum(inference_extension_flow_control_queue_size)")
                  .counted_twice,
              "");
    EXPECT_EQ(shape_of_query("sum(vllm:num_requests_running) + sum(vllm:num_requests_waiting)").counted_twice, "");
}

TEST(QueryShape, AConstantBehindAComparisonHidesNaN) {
    EXPECT_TRUE(shape_of_query("(sum(rate(c[1m])) >= 0) or vector(0)").is_constant_behind_comparison);
    EXPECT_FALSE(shape_of_query("sum(rate(c[1m])) or vector(0)").is_constant_behind_comparison);
    EXPECT_FALSE(shape_of_query("(a > bool 0) or vector(0)").is_constant_behind_comparison);
    EXPECT_FALSE(shape_of_query("(a > 0) or b").is_constant_behind_comparison);
}

TEST(QueryShape, NamesInEverySpelling) {
    EXPECT_EQ(shape_of_metric("gpu_cache_usage_perc").max, 1.0);
    EXPECT_EQ(shape_of_metric("prometheus.googleapis.com|dcgm_fi_dev_gpu_util|gauge").max, 100.0);
    EXPECT_EQ(shape_of_metric("sglang:token_usage").max, 1.0);
    EXPECT_EQ(shape_of_metric("sglang_token_usage").max, 1.0);
    EXPECT_EQ(shape_of_query("sum(a{x=\"1\"}) / sum(b) + sum(a)").metrics, (std::vector<std::string>{"a", "b"}));
}

// Tests which queries give an element for each pod.

TEST(QueryElements, OnePerPod) {
    for (const char* query :
         {"vllm:num_requests_waiting", "rate(vllm:request_success_total[1m])", "vllm:num_requests_waiting > 5",
          "100 * vllm:kv_cache_usage_perc", "avg by (pod) (x)", "max(num_requests_running) by (pod)",
          R"(avg(DCGM_FI_DEV_GPU_UTIL{pod!=""}) by (pod))", "DCGM_FI_DEV_GPU_UTIL", "sum without (engine) (vllm:x)",
          "histogram_quantile(0.9, rate(vllm:e2e_request_latency_seconds_bucket[1m]))", "topk(3, vllm:x)",
          "vllm:num_requests_waiting or vector(0)", "avg_over_time(vllm:x[5m])", "vllm:x + vllm:y"}) {
        EXPECT_NE(several_elements_of(query), "") << query;
    }
    EXPECT_EQ(several_elements_of("vllm:num_requests_waiting"), "vllm:num_requests_waiting has a series per pod");
    EXPECT_EQ(several_elements_of("sum by (le, pod) (x)"), "by (pod)");
}

TEST(QueryElements, OneOrUnknown) {
    for (const char* query :
         {"sum(vllm:num_requests_waiting)", "queue_length", "rate(http_requests_total[1m])", "sum by (model_name) (x)",
          R"(vllm:num_requests_waiting{pod="llm-0"})", R"(sum by (pod) (x{pod="llm-0"}))", "scalar(vllm:x)",
          "histogram_quantile(0.9, sum by (le) (rate(vllm:b[1m])))", "topk(1, vllm:x)", "sum without (pod) (vllm:x)",
          "max by (instance) (redis_key_size)", "vllm:num_incoming_requests_total", "sum(vllm:x) or vector(0)",
          "absent(vllm:x)", "not a query(", "1", "vllm:x / sum(vllm:y)", "vector(1) * 2"}) {
        EXPECT_EQ(several_elements_of(query), "") << query;
    }
}

}  // namespace

}  // namespace gputide::source
