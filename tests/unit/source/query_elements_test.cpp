// Tests which queries give an element for each pod.
#include "source/query_shape.hpp"

#include <gtest/gtest.h>

namespace gputide::source {
namespace {

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
