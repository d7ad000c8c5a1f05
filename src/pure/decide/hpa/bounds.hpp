// The last word on a size: rate limit and bounds together, with the reason that ScalingLimited carries.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (convertDesiredReplicasWithRules,
// convertDesiredReplicasWithBehaviorRate).
#pragma once

#include "decide/decision.hpp"
#include "decide/hpa/rate.hpp"

#include <cstdint>

namespace gputide::decide {

struct replica_bounds {
    std::int32_t min = 1;
    std::int32_t max = 1;
};

struct bounded {
    std::int32_t replicas = 0;
    reason why = reason::desired_within_range;  // too_few, too_many, scale_up_limit, scale_down_limit
    rate_limit rate;                            // the limit of the direction moved in; policy -1 on the legacy path
};

// Without behaviour, with limit = legacy_up_limit(current):
//   below min → min, TooFewReplicas; above limit → limit, ScaleUpLimit where max > limit; above max → max, TooManyReplicas
// Worked: current 20, desired 1000, 1..10 → 10, TooManyReplicas;  current 3, desired 1, 2..8 → 2, TooFewReplicas.
bounded bound_legacy(std::int32_t current, std::int32_t desired, const replica_bounds& within,
                     std::int32_t limit) noexcept;

// With behaviour.  Only the side moved to is checked, and the limit never pushes against the direction:
//   desired > current: limit = max(up_limit, current); top = min(max, limit)
//   desired < current: limit = min(down_limit, current); bottom = max(min, limit)
// Worked: current 1000, desired 3, down 20 pods per 60 s, 3..2000 → 980, ScaleDownLimit.
bounded bound(const behavior_view& rules, std::int32_t current, std::int32_t desired, const replica_bounds& within,
              const event_history& events) noexcept;

}  // namespace gputide::decide
