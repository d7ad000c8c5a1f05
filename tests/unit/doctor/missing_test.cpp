// Why a selector selects nothing.
#include "doctor/judge.hpp"
#include "support/texts.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

using gputide::testing::holds;

selection of(const char* selector, std::vector<source::labels> nearby) {
    selection out = *read_selector(selector);
    out.nearby = std::move(nearby);
    out.looked = true;
    return out;
}

TEST(Missing, ALabelIsMadeFromThePodsName) {
    const step found = why_missing(of("U{deployment=\"llm\"}", {{{"pod", "a-b-c2345"}}, {{"pod", "llm-6f-x1y2z"}}}),
                                   source::inquiry::query);
    EXPECT_EQ(found.verdict, verdict::failed);
    EXPECT_TRUE(holds(found.paste, "- source_labels: [pod]  # llm-6f-x1y2z\n"));
    EXPECT_TRUE(holds(relabelling("statefulset", "", {{{"exported_pod", "db-0"}}}), "[exported_pod]"));
    EXPECT_TRUE(holds(relabelling("daemonset", "", {{{"pod", "x-abcde"}}}), "(.+)-[a-z0-9]{5}"));
    EXPECT_EQ(relabelling("team", "", {{{"pod", "x-abcde"}}}), "");
    EXPECT_EQ(relabelling("deployment", "", {{{"gpu", "0"}}}), "");
}

TEST(Missing, PodLabelsOfAPageAreTheExportersMatter) {
    EXPECT_TRUE(holds(why_missing(of("U{pod=\"a\"}", {{{"gpu", "0"}}}), source::inquiry::page).fix, "--kubernetes"));
}

TEST(Missing, ThePartThatFindsNothingIsNamed) {
    const step value =
        why_missing(of("U{gpu=\"0\",node=\"b\"}", {{{"gpu", "0"}, {"node", "a"}}}), source::inquiry::query);
    EXPECT_TRUE(holds(value.seen, "node=\"b\""));
    EXPECT_FALSE(holds(value.cause + value.fix, "GPU"));  // the metric is not an exporter's
    const step both =
        why_missing(of("U{gpu=\"0\",node=\"b\"}", {{{"gpu", "0"}, {"node", "a"}}, {{"gpu", "1"}, {"node", "b"}}}),
                    source::inquiry::query);
    EXPECT_TRUE(holds(both.seen, "all matchers together have none"));
}

TEST(Missing, AKnownFieldIsNeverCalledMisspelt) {
    selection absent = of("DCGM_FI_DEV_FB_FREE", {});
    absent.metrics_alike = {"DCGM_FI_DEV_FB_USED"};
    EXPECT_TRUE(holds(why_missing(absent, source::inquiry::query).cause, "counters file"));
    selection wrong = of("DCGM_FI_DEV_FB_USD", {});
    wrong.metrics_alike = {"DCGM_FI_DEV_FB_USED"};
    EXPECT_TRUE(holds(why_missing(wrong, source::inquiry::query).cause, "misspelled"));
}

TEST(Missing, TheWorkloadsLabelMayBeTheExportedOne) {
    const std::vector<source::labels> there = {{{"pod", "dcgm-exporter-x0"}, {"exported_pod", "llm-6c5d-0"}}};
    const step found = why_missing(of("U{pod=~\"llm-.*\"}", there), source::inquiry::query);
    EXPECT_TRUE(holds(found.fix, "exported_pod"));
    const step other = why_missing(of("U{pod=~\"chat-.*\"}", there), source::inquiry::query);
    EXPECT_FALSE(holds(other.cause + other.fix, "exported_pod"));
}

TEST(Missing, SeriesOfDcgmWithoutPodLabelsAreTheExportersMatter) {
    const step found =
        why_missing(of("DCGM_FI_DEV_GPU_UTIL{pod=~\"llm-.*\"}", {{{"gpu", "0"}}}), source::inquiry::query);
    EXPECT_TRUE(holds(found.fix, "DCGM_EXPORTER_KUBERNETES"));
}

TEST(Missing, ANameInOtherCapitalsOrWithAnotherSeparatorIsNamed) {
    for (const char* written : {"vllm_num_requests_waiting", "VLLM:num_requests_waiting"}) {
        selection absent = of(written, {});
        absent.metrics_alike = {"vllm:num_requests_running", "vllm:num_requests_waiting"};
        EXPECT_EQ(why_missing(absent, source::inquiry::query).fix, "Write vllm:num_requests_waiting.");
    }
}

// A utilization that misses bursts, by the series beside it.

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
