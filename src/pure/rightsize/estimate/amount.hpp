// Amounts of a resource as in the VPA: integers of 0 to 1e14, truncated.  Millicores, bytes, percent.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/types.go.
#pragma once

#include <cstdint>

namespace gputide::rightsize {

using amount = std::int64_t;
inline constexpr amount most = 100'000'000'000'000;

// Converts; NaN gives 0: the originals leave a base of 0 times an infinite factor undefined.
inline amount amount_of(double value) noexcept {
    if (!(value > 0.0)) return 0;
    if (value >= static_cast<double>(most)) return most;
    return static_cast<amount>(value);
}

// Returns trunc(base * factor): 3140 * 1.44 → 4521.
inline amount scaled(amount base, double factor) noexcept { return amount_of(static_cast<double>(base) * factor); }

}  // namespace gputide::rightsize
