// HPAActive mirrors the HPA's ScalingActive.
#include "decide/keda/hpa_health.hpp"

#include <gtest/gtest.h>

namespace {

using namespace gputide::decide;

TEST(HpaHealth, Mirrors) {
    EXPECT_FALSE(mirrored_health(std::nullopt));
    EXPECT_FALSE(mirrored_health(reported_condition{truth::unknown, "", ""}));
    EXPECT_EQ(mirrored_health(reported_condition{truth::yes, "ValidMetricFound", "x"})->reason, "HPAActive");
    const auto disabled = mirrored_health(reported_condition{truth::no, "ScalingDisabled", "at zero"});
    EXPECT_EQ(disabled->status, truth::yes);
    EXPECT_EQ(disabled->message, "at zero");
    const auto failed = mirrored_health(reported_condition{truth::no, "FailedGetExternalMetric", "no answer"});
    EXPECT_EQ(failed->status, truth::no);
    EXPECT_EQ(failed->reason, "FailedGetExternalMetric");
    EXPECT_EQ(failed->message, "HPA is not actively scaling: no answer");
    EXPECT_EQ(mirrored_health(reported_condition{truth::no, "", ""})->reason, "HPAMetricsUnavailable");
}

}  // namespace
