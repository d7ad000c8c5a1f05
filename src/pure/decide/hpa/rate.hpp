// How far one pass may move: the behaviour's policies, and the legacy doubling.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (calculateScaleUpLimit,
// calculateScaleUpLimitWithScalingRules, calculateScaleDownLimitWithBehaviors).
#pragma once

#include "decide/hpa/behavior_view.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

// Both directions' events and the time, as every policy needs them.
struct event_history {
    std::span<const scale_event> ups;
    std::span<const scale_event> downs;
    std::int64_t now_ms = 0;
};

struct rate_limit {
    std::int32_t replicas = 0;      // the size that may not be passed, before clamping to current
    std::int32_t policy = -1;       // index of the policy that set it; -1: none (Disabled, or no policy)
    std::int32_t period_start = 0;  // the size at the start of that policy's period, as its formula sees it
};

// int32(max(factor * current, least)): 100 → 200, 1 → 4, 0 → 4, 2000000000 → 2147483647.  Per pass, not per period.
std::int32_t legacy_up_limit(std::int32_t current, double factor, double least) noexcept;

// Per policy:  start = current - changed(ups, period) + changed(downs, period)
//   Pods: start + value;  Percent: ceil(double(start) * (1 + double(value) / 100))
// selectPolicy Max takes the greatest, Min the least; Disabled: current.
// Worked: current 5, 4 pods per 60 s, +2 half a minute ago → 3 + 4 = 7.  10 % from 100 → 110.00000000000001 → 111.
rate_limit up_limit(const rules_view& rules, std::int32_t current, const event_history& events) noexcept;

//   Pods: start - value;  Percent: double(start) * (1 - double(value) / 100), cut toward zero
// selectPolicy Max takes the least (the largest change), Min the greatest; Disabled: current.
// Worked: current 10, 20 % per 60 s, -1 half a minute ago → 11 * 0.8 = 8.8 → 8.
rate_limit down_limit(const rules_view& rules, std::int32_t current, const event_history& events) noexcept;

}  // namespace gputide::decide
