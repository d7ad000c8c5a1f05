// A utilization that misses bursts, by the series beside it.
#include "doctor/series.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

source::series series_of(const std::string& name, double value, int points = 20) {
    source::series out;
    out.labels = {{"__name__", name}, {"gpu", "0"}, {"UUID", "GPU-0"}};
    for (int i = 0; i < points; ++i) out.points.push_back({1'000 * i, value});
    return out;
}

const std::string utilization = "DCGM_FI_DEV_GPU_UTIL";

TEST(Aliasing, TheEnginesOwnCountContradicts) {
    const auto got = judge_aliasing(utilization, {series_of(utilization, 0)},
                                    {series_of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.38)}, "0");
    ASSERT_TRUE(got);
    EXPECT_EQ(got->verdict, verdict::warning);
    EXPECT_EQ(got->name, step_name::value);
    EXPECT_NE(got->seen.find("0 %, and the engine was active 38 %"), std::string::npos) << got->seen;
    EXPECT_NE(got->fix.find("100 * DCGM_FI_PROF_GR_ENGINE_ACTIVE"), std::string::npos);
    EXPECT_TRUE(judge_aliasing(utilization, {series_of(utilization, 97)},
                               {series_of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.38)}, "97"));
}

TEST(Aliasing, PowerFarAboveIdleContradictsAZero) {
    EXPECT_TRUE(
        judge_aliasing(utilization, {series_of(utilization, 0)}, {series_of("DCGM_FI_DEV_POWER_USAGE", 370)}, "0"));
    EXPECT_FALSE(
        judge_aliasing(utilization, {series_of(utilization, 0)}, {series_of("DCGM_FI_DEV_POWER_USAGE", 71)}, "0"));
    EXPECT_FALSE(
        judge_aliasing(utilization, {series_of(utilization, 40)}, {series_of("DCGM_FI_DEV_POWER_USAGE", 370)}, "40"));
}

TEST(Aliasing, LeavesASharedGpuAloneThatComesOnceMoreForEachPod) {
    auto of_a_pod = series_of(utilization, 0);
    of_a_pod.labels.emplace_back("pod", "llm-0");
    const std::vector<source::series> active{series_of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.9)};
    EXPECT_FALSE(judge_aliasing(utilization, {series_of(utilization, 90), of_a_pod, of_a_pod}, active, "30"));
    EXPECT_TRUE(judge_aliasing(utilization, {of_a_pod, of_a_pod}, active, "0"));
}

TEST(Aliasing, SaysNothingWithoutEvidence) {
    const auto active = series_of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 0.38);
    EXPECT_FALSE(judge_aliasing(utilization, {series_of(utilization, 35)}, {active}, "35"));
    EXPECT_FALSE(judge_aliasing(utilization, {series_of(utilization, 0, 3)}, {active}, "0"));
    EXPECT_FALSE(judge_aliasing(utilization, {series_of(utilization, 0)}, {}, "0"));
    EXPECT_FALSE(judge_aliasing("DCGM_FI_DEV_GPU_TEMP", {series_of("DCGM_FI_DEV_GPU_TEMP", 0)}, {active}, "0"));
}

}  // namespace
}  // namespace gputide::doctor
