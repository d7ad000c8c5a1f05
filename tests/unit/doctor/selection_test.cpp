// Selectors taken apart, and what a page holds for them.
#include "doctor/selection.hpp"

#include "doctor/lookup_page.hpp"

#include <gtest/gtest.h>

namespace gputide::doctor {
namespace {

TEST(Selection, IsTakenApartAndPutTogether) {
    const auto read = read_selector("DCGM_FI_DEV_GPU_UTIL{deployment=\"a\\\"b\", gpu=~`0|1`,pod!=\"\"}");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->metric, "DCGM_FI_DEV_GPU_UTIL");
    EXPECT_EQ(read->text(), "DCGM_FI_DEV_GPU_UTIL{deployment=\"a\\\"b\",gpu=~\"0|1\",pod!=\"\"}");
    EXPECT_EQ(read->text_without(0), "DCGM_FI_DEV_GPU_UTIL{gpu=~\"0|1\",pod!=\"\"}");
    EXPECT_TRUE(read->matchers[1].takes({{"gpu", "1"}}));
    EXPECT_FALSE(read->matchers[1].takes({{"gpu", "10"}}));
    EXPECT_FALSE(read->matchers[2].takes({{"gpu", "1"}}));
}

TEST(Selection, NeedsNoBraces) {
    EXPECT_EQ(read_selector("up")->text(), "up");
    EXPECT_EQ(read_selector("{__name__=\"up\",job=\"a\"}")->metric, "up");
    EXPECT_FALSE(read_selector("up{job=}"));
}

source::series line(std::string name, source::labels labels) {
    source::series out;
    out.labels = std::move(labels);
    out.labels.insert(out.labels.begin(), {"__name__", std::move(name)});
    return out;
}

TEST(Selection, OfAPageKnowsALabelByItsOtherNames) {
    source::reading page;
    page.series = {line("DCGM_FI_DEV_GPU_UTIL", {{"exported_pod", "a"}}), line("DCGM_FI_DEV_FB_USED", {})};
    const selection found = look_over(*read_selector("DCGM_FI_DEV_GPU_UTIL{pod=\"a\"}"), page);
    EXPECT_EQ(found.found.size(), 1U);
    const selection other = look_over(*read_selector("DCGM_FI_DEV_GPU_UTIL{pod=\"b\"}"), page);
    EXPECT_EQ(other.found.size(), 0U);
    EXPECT_EQ(other.nearby.size(), 1U);
    const selection none = look_over(*read_selector("DCGM_FI_DEV_GPU_TEMP"), page);
    EXPECT_EQ(none.metrics_alike, (std::vector<std::string>{"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_GPU_UTIL"}));
}

}  // namespace
}  // namespace gputide::doctor
