// Metrics that are read of each pod.
#include "doctor/selection.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace gputide::doctor {
namespace {

pod_reading with_pods(int count) {
    pod_reading out;
    for (int i = 0; i < count; ++i)
        out.pods.push_back({std::string(1, static_cast<char>('a' + i)), {}, {}, {}, {}, {}});
    return out;
}

void add(pod_reading& to, const std::string& pod, std::optional<std::int64_t> value_milli,
         std::optional<std::int64_t> request_milli = std::nullopt) {
    to.values.push_back({pod, value_milli, request_milli, {}, 60});
}

decide::metric_policy share_of_cpu() {
    decide::metric_policy out;
    out.name = out.resource = "cpu";
    out.type = config::target_type::utilization;
    out.utilization_pct = 40;
    return out;
}

decide::metric_policy gpu_each() {
    decide::metric_policy out;
    out.name = "gpu";
    out.target_milli = 40'000;
    return out;
}

TEST(Pods, WithoutThemNothingIsRead) {
    EXPECT_NE(judge_pods({gpu_each(), with_pods(0)}).seen.find("chooses no pod"), std::string::npos);
}

TEST(Pods, WithoutAValueOfAnyAreAFailure) {
    pod_reading read = with_pods(2);
    EXPECT_EQ(judge_pods({gpu_each(), read}).verdict, verdict::failed);
    EXPECT_NE(judge_pods({gpu_each(), read}).cause.find("adapter"), std::string::npos);
    add(read, "a", std::nullopt, 1'000);  // its request alone
    EXPECT_EQ(judge_pods({share_of_cpu(), read}).verdict, verdict::failed);
    EXPECT_NE(judge_pods({share_of_cpu(), read}).cause.find("metrics-server"), std::string::npos);
}

TEST(Pods, AFewWithoutAValueAreSaid) {
    pod_reading read = with_pods(3);
    add(read, "a", 90'000);
    add(read, "b", 70'500);
    EXPECT_EQ(judge_pods({gpu_each(), read}).verdict, verdict::warning) << "they hold the size";
    EXPECT_EQ(judge_pods({gpu_each(), read}).seen, "2 of 3 pods have a value; without one: c");
    read.pods[2].phase = pod_phase::failed;  // the HPA leaves it out
    EXPECT_EQ(judge_pods({gpu_each(), read}).verdict, verdict::ok);
    EXPECT_EQ(judge_use({gpu_each(), read}).seen, "80.25 per pod on average; target 40");
}

TEST(Pods, AShareNeedsARequest) {
    pod_reading read = with_pods(3);
    add(read, "a", 900, 1'000);
    add(read, "b", 709, 1'000);
    add(read, "c", std::nullopt, 1'000);  // not measured: no part of the share
    EXPECT_EQ(judge_pods({share_of_cpu(), read}).verdict, verdict::warning) << "c holds the size";
    EXPECT_EQ(judge_use({share_of_cpu(), read}).seen, "80 % of what the pods request; target 40 %");
    pod_reading little = with_pods(1);
    add(little, "a", 290, 1'000);
    EXPECT_EQ(judge_use({share_of_cpu(), little}).seen, "29 % of what the pods request; target 40 %");
    read.values[1].request_milli.reset();
    EXPECT_EQ(judge_pods({share_of_cpu(), read}).seen, "b: no request for cpu");
    EXPECT_NE(judge_pods({gpu_each(), read}).verdict, verdict::failed) << "an average needs none";
}

}  // namespace
}  // namespace gputide::doctor
