// What public bug reports were about, at the steps that should have told it.
#include "doctor/outlook.hpp"
#include "doctor/query.hpp"
#include "doctor/series.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

using gputide::testing::holds;

series several_of(const std::string& query, config::target_type type) {
    series out;
    out.inquiry = source::inquiry::query;
    out.query = query;
    out.answer = {{{"pod", "a"}}, {{"pod", "b"}}};
    out.sample.state = sample_state::ambiguous;
    out.type = type;
    return out;
}

// The query to paste must not be divided once more.
TEST(Reports, ThePastedQueryFitsTheMetricType) {
    const auto paste = [](const char* query, config::target_type type) {
        return judge_series(several_of(query, type)).paste;
    };
    EXPECT_EQ(paste("vllm:num_requests_waiting", config::target_type::average_value),
              "query: sum(vllm:num_requests_waiting)\n");
    EXPECT_EQ(paste("vllm:num_requests_waiting", config::target_type::value),
              "query: avg(vllm:num_requests_waiting)\n");
    EXPECT_EQ(paste("DCGM_FI_DEV_GPU_UTIL", config::target_type::average_value),
              "metricType: Value\nquery: avg(DCGM_FI_DEV_GPU_UTIL)\n");
}

TEST(Reports, OneGpuRepeatedForEachSliceIsTold) {
    series seen;
    seen.answer = {{}};
    selection of = *read_selector("DCGM_FI_DEV_POWER_USAGE");
    of.looked = true;
    for (const char* instance : {"7", "8"}) of.found.push_back({{"UUID", "GPU-1"}, {"GPU_I_ID", instance}});
    seen.selections = {of};
    EXPECT_EQ(judge_series(seen).verdict, verdict::warning);
    EXPECT_TRUE(holds(judge_series(seen).seen, "one GPU comes 2 times"));
    seen.selections[0].found[1][0].second = "GPU-2";
    EXPECT_EQ(judge_series(seen).verdict, verdict::ok);
    seen.selections = {of};
    seen.selections[0].metric = "DCGM_FI_PROF_SM_ACTIVE";  // each slice has its own
    EXPECT_EQ(judge_series(seen).verdict, verdict::ok);
}

TEST(Reports, AnAdaptersUnknownMetricIsTheAdaptersMatter) {
    query seen;
    seen.why = fail(status::rejected, "the server could not find the metric U for pods");
    seen.why.http_status = 404;
    EXPECT_TRUE(holds(judge_query(seen).fix, "serverAddress"));
    seen.traits.is_granted_by_cluster = true;
    EXPECT_TRUE(holds(judge_query(seen).fix, "adapter"));
    EXPECT_FALSE(holds(judge_query(seen).fix, "serverAddress"));
}

// dcgm-exporter 4.5.3-4.8.2 under --kubernetes-virtual-gpus.
TEST(Reports, ADeviceBesideItsPodsIsTold) {
    series seen;
    seen.inquiry = source::inquiry::query;
    seen.answer = {{}};
    selection of = *read_selector("DCGM_FI_DEV_GPU_UTIL");
    of.looked = true;
    of.found = {{{"UUID", "GPU-1"}}, {{"UUID", "GPU-1"}, {"pod", "a"}}};
    seen.selections = {of};
    EXPECT_TRUE(holds(judge_series(seen).seen, "as a whole and once more for each pod"));
    EXPECT_TRUE(holds(judge_series(seen).fix, "pod=\"\" for devices"));
    seen.selections[0].found = {{{"UUID", "GPU-1"}, {"pod", "dcgm-exporter-x"}},
                                {{"UUID", "GPU-1"}, {"pod", "dcgm-exporter-x"}, {"exported_pod", "a"}}};
    EXPECT_TRUE(holds(judge_series(seen).fix, "exported_pod=\"\" for devices"));
    seen.selections[0].found[0][0].second = "GPU-2";  // held by no pod
    EXPECT_EQ(judge_series(seen).verdict, verdict::ok);
}

TEST(Reports, AValueTargetWithoutAReadyReplicaIsTold) {
    decide::policy policy;
    policy.metrics.emplace_back().type = config::target_type::value;
    outcome seen{policy, {}, {}, false, true};
    EXPECT_TRUE(holds(judge_decision(seen).cause, "while none is ready every load asks for 0"));
    seen.is_none_ready = false;
    EXPECT_EQ(judge_decision(seen).verdict, verdict::ok);
    policy.metrics[0].type = config::target_type::average_value;
    seen.is_none_ready = true;
    EXPECT_EQ(judge_decision(seen).verdict, verdict::ok);
}

}  // namespace
}  // namespace gputide::doctor
