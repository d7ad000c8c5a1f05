// The words of a decision.
#include "decide/decision.hpp"

#include <gtest/gtest.h>

namespace {

using namespace gputide::decide;

TEST(Names, AreTheOnesOfTheJson) {
    EXPECT_STREQ(limit_name(limit::none), "none");
    EXPECT_STREQ(limit_name(limit::scale_down_limit), "scale_down_limit");
    EXPECT_STREQ(limit_name(limit::budget), "budget");
    EXPECT_STREQ(origin_name(origin::executor), "executor");
    EXPECT_STREQ(condition_name(condition_type::able_to_scale), "AbleToScale");
    EXPECT_STREQ(condition_name(condition_type::paused), "Paused");
    EXPECT_STREQ(truth_name(truth::unknown), "Unknown");
    EXPECT_STREQ(truth_name(truth::absent), "");
    EXPECT_STREQ(reason_name(reason::scale_down_stabilized), "ScaleDownStabilized");
    EXPECT_STREQ(reason_name(reason::scaler_cooldown), "ScalerCooldown");
    EXPECT_STREQ(reason_name(reason::scaled_object_paused), "ScaledObjectPaused");
    EXPECT_STREQ(event_name(event::none), "");
    EXPECT_STREQ(event_name(event::deactivation_failed), "KEDAScaleTargetDeactivationFailed");
}

TEST(Names, OfUnknownNumbersAreEmpty) {
    EXPECT_STREQ(limit_name(static_cast<limit>(99)), "");
    EXPECT_STREQ(reason_name(static_cast<reason>(-1)), "");
}

}  // namespace
