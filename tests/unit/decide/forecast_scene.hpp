// Helpers that the tests of forecasts in a decision share: passes every 30 s, and an office's day as load.
#pragma once

#include "forecast/series.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace gputide::decide::scene {

inline constexpr std::int64_t pass_ms = 30'000;
inline constexpr std::int64_t minute_ms = 60'000;
inline constexpr std::int64_t day_ms = 86'400'000;

// `policy` with a forecast that has been told its load for an hour before it acts.
inline decide::policy with_forecast(manifest::forecast_mode mode, decide::policy policy = hpa(1, 60)) {
    policy.scaling.extra.sync_period_ms = static_cast<std::int32_t>(pass_ms);
    policy.scaling.extra.forecast.mode = mode;
    policy.scaling.extra.forecast.warmup_ms = 3'600'000;
    result<decide::policy> made = make_policy(policy.scaling, policy.metrics);
    EXPECT_TRUE(made.ok());
    return *made;
}

inline double office_at(std::int64_t at_ms) {
    const std::int64_t minute = at_ms / minute_ms;
    return forecast_series::office_at(minute, false) * (1 + 0.04 * forecast_series::noise(minute));
}

}  // namespace gputide::decide::scene
