// The steps from a recommendation to a size: stabilization, scale events, rate limits, bounds, and targets at 0 replicas.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go; each section names its functions.
#pragma once

#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "decide/state/history.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::decide {

// ---- behavior

// Returns spec.behavior with the changes of KEDA's pause annotations (make_policy); null: none, the legacy rules apply.
inline const manifest::behavior* behavior_of(const policy& policy) noexcept {
    return policy.scaling.behavior ? &*policy.scaling.behavior : nullptr;
}

// Returns the longest period of a direction's scaling policies, in seconds; 0: no policy.
std::int32_t longest_period_s(const manifest::scaling_rules& rules) noexcept;

// ---- stabilization: horizontal.go (stabilizeRecommendation, stabilizeRecommendationWithBehaviors)

struct stabilized {
    std::int32_t replicas = 0;
    bool changed = false;       // replicas differs from the recommendation of the metrics
    reason why = reason::none;  // of AbleToScale, if changed
    std::int32_t held_by = 0;   // if changed: the earlier recommendation that determined the size
};

// Stabilizes without behavior. cutoff = now - window; the result is the greatest of raw and of the entries with t >= cutoff
// (an entry exactly as old as the window counts). raw then replaces the last entry with t < cutoff, or is appended.
// Example: window 300 s, history 10 (600 s old), 4 (60), 5 (120), 9 (540), raw 3 → 5; history becomes 10, 4, 5, 3.
stabilized stabilize_legacy(recommendation_history& history, std::int32_t raw, std::int32_t window_s,
                            std::int64_t now_ms);

// Stabilizes with behavior.  Entries count if t > now - window (an entry exactly as old as the window does not count).
//   up = the least of raw and of the entries in the up window, down = the greatest of raw and of those in the down window
//   out = current, raised to up, lowered to down: a size within the recent range does not change
// raw then replaces the last entry that is older than both windows, or is appended.
// Example: down window 180 s, history 4 (120 s), 5 (60 s), current 100, raw 3 → down 5 → 5; history 4, 5, 3.
stabilized stabilize(recommendation_history& history, std::int32_t current, std::int32_t raw, std::int32_t up_window_s,
                     std::int32_t down_window_s, std::int64_t now_ms);

// Returns the time at which a size was last recommended; absent: the size is not in the history.
std::int64_t last_recommended_ms(const recommendation_history& history, std::int32_t replicas) noexcept;

// ---- scale events, for the rate policies: horizontal.go (storeScaleEvent, markScaleEventsOutdated, getReplicasChangePerPeriod)

// Returns the sum of the changes with t > now - period (strictly); ignores the mark `outdated`.
// Example: period 60 s, +7 58 s ago and +6 60 s ago → 7.
std::int64_t changed_within(std::span<const scale_event> events, std::int32_t period_s, std::int64_t now_ms) noexcept;

// Stores the event of a write.  Marks every event older than the longest period of this direction's policies (t < now -
// longest) as outdated; the new event replaces the last outdated one, or is appended.
// As upstream, this can drop an event that a policy of the other direction with a longer period still needs.
void store_event(std::vector<scale_event>& events, const manifest::scaling_rules& rules, std::int32_t change,
                 std::int64_t now_ms);

// Stores the event of a write from `before` to `after`, only with behavior; also if the size was forced into its bounds.
void store_rescale(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int64_t now_ms);

// Maximum of events per direction: one write per second for half an hour, the longest period.  Upstream has no limit.  In a
// full list the two oldest events are merged at the time of the newer one, which never loosens a rate limit.
inline constexpr std::size_t max_scale_events = 2048;

// ---- rate limits, the largest change of one pass: horizontal.go (calculateScaleUpLimit, calculateScaleUpLimitWithScalingRules,
// calculateScaleDownLimitWithBehaviors)

// The events of both directions, borrowed, and the current time.
struct event_history {
    const std::vector<scale_event>& ups;
    const std::vector<scale_event>& downs;
    std::int64_t now_ms = 0;
};

struct rate_limit {
    std::int32_t replicas = 0;      // limit of the size, before clamping to current
    std::int32_t policy = -1;       // index of the policy with this limit; -1: none (Disabled, or no policy)
    std::int32_t period_start = 0;  // size at the start of that policy's period, as computed from the events
};

// Returns int32(max(factor * current, min)): 100 → 200, 1 → 4, 0 → 4, 2000000000 → 2147483647.  Limit per pass, not per
// period.
std::int32_t legacy_up_limit(std::int32_t current, double factor, double min) noexcept;

// Returns the upper limit.  Per policy:  start = current - changed(ups, period) + changed(downs, period)
//   Pods: start + value;  Percent: ceil(double(start) * (1 + double(value) / 100))
// selectPolicy Max takes the largest, Min the smallest; Disabled: current.
// Example: current 5, 4 pods per 60 s, +2 half a minute ago → 3 + 4 = 7.  10 % from 100 → 110.00000000000001 → 111.
rate_limit up_limit(const manifest::scaling_rules& rules, std::int32_t current, const event_history& events) noexcept;

// Returns the lower limit.  Per policy, with the same start:
//   Pods: start - value;  Percent: double(start) * (1 - double(value) / 100), cut toward zero
// selectPolicy Max takes the smallest (the largest change), Min the largest; Disabled: current.
// Example: current 10, 20 % per 60 s, -1 half a minute ago → 11 * 0.8 = 8.8 → 8.
rate_limit down_limit(const manifest::scaling_rules& rules, std::int32_t current, const event_history& events) noexcept;

// ---- rate limit and bounds combined, with the reason of ScalingLimited: horizontal.go (convertDesiredReplicasWithRules,
// convertDesiredReplicasWithBehaviorRate)

struct replica_bounds {
    std::int32_t min = 1;
    std::int32_t max = 1;
};

struct bounded {
    std::int32_t replicas = 0;
    reason why = reason::desired_within_range;  // too_few, too_many, scale_up_limit, scale_down_limit
    rate_limit rate;                            // the limit in the direction of the move; policy -1 without behavior
};

// Bounds a size without behavior, with limit = legacy_up_limit(current):
//   below min → min, TooFewReplicas; above limit → limit, ScaleUpLimit if max > limit; above max → max, TooManyReplicas
// Examples: current 20, desired 1000, 1..10 → 10, TooManyReplicas;  current 3, desired 1, 2..8 → 2, TooFewReplicas.
bounded bound_legacy(std::int32_t current, std::int32_t desired, const replica_bounds& within,
                     std::int32_t limit) noexcept;

// Bounds a size with behavior.  Only the direction of the change is checked, and the limit never reverses the change:
//   desired > current: limit = max(up_limit, current); top = min(max, limit)
//   desired < current: limit = min(down_limit, current); bottom = max(min, limit)
// Example: current 1000, desired 3, down 20 pods per 60 s, 3..2000 → 980, ScaleDownLimit.
bounded bound(const manifest::behavior& rules, std::int32_t current, std::int32_t desired, const replica_bounds& within,
              const event_history& events) noexcept;

// ---- a target at zero replicas: horizontal.go (reconcileAutoscaler); gate HPAScaleToZero, KEP 2021, and since 1.36 the condition
// ScaledToZero (PR 135118)

// Tells whether metrics are read and a size is computed at 0 replicas.  False: scaling is disabled, the size stays 0.
//   up to 1.35:   true if min is 0
//   from 1.36 on: true if the gate is on, ScaledToZero is True and (min is not 0, or an Object or External metric exists)
// A user who sets 0 replicas therefore pauses the HPA.
bool leaves_zero(const policy& policy, const state& state, std::int32_t min) noexcept;

// Raises `desired` to min if the HPA itself scaled to zero and min is now above 0 (from 1.36 on).
std::int32_t raised_from_zero(const policy& policy, const state& state, std::int32_t desired,
                              std::int32_t min) noexcept;

// Sets ScaledToZero and its condition after a write from `before` to `after`; removes both without the gate and up to 1.35.
void note_zero(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int32_t min,
               std::int64_t now_ms) noexcept;

// Removes ScaledToZero and its condition if scaling is disabled at 0 replicas and the gate is off.
void note_disabled_at_zero(const policy& policy, state& state) noexcept;

}  // namespace gputide::decide
