// The band around the target in which nothing moves.
// kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (Tolerances.isWithin, since 1.33; KEP 4951).
#pragma once

#include "decide/policy.hpp"

namespace gputide::decide {

// As bounds of the usage ratio; see tolerance_band() for how a tolerance becomes one.
struct tolerance {
    double low = 0.9;
    double high = 1.1;
};

// Upstream compares (1.0 - down) <= ratio and ratio <= (1.0 + up); these are its two sides.
inline tolerance tolerance_band(double up, double down) noexcept { return {1.0 - down, 1.0 + up}; }

// Both ends included; NaN is never within.
// Worked: exactly 1.1 and exactly 0.9 are within 0.1.  (The form before 1.33, |1.0 - ratio| <= 0.1, put 1.1 outside, because
// |1 - 1.1| is 0.10000000000000009 in binary64.)
inline bool within(const tolerance& band, double ratio) noexcept { return band.low <= ratio && ratio <= band.high; }

// behavior.scaleUp.tolerance and behavior.scaleDown.tolerance where there is a behaviour, else the controller's flag.
tolerance tolerance_of(const policy& policy) noexcept;

// The metric's own band: gputide.io/scale-up-above and -scale-down-below replace a side each.  Both are values of the metric
// as its target is (per replica for averageValue, in percent for averageUtilization).
// Worked: target 60, up above 80, down below 30 → 1.333 and 0.5: at 4 replicas a mean of 70 stays; 84 gives ceil(5.6) = 6.
tolerance tolerance_of(const metric_policy& metric, const tolerance& general) noexcept;
tolerance tolerance_of(const metric_policy& metric, double target, const tolerance& general) noexcept;

}  // namespace gputide::decide
