// Why a selector selects nothing.
#include "doctor/series.hpp"
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

}  // namespace
}  // namespace gputide::doctor
