// Amounts of a resource as the VPA counts them: whole numbers of 0 to 1e14, fractions cut off.  Millicores, bytes, percent.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/types.go.
#pragma once

#include <cstdint>

namespace gputide::rightsize {

using amount = std::int64_t;
inline constexpr amount most = 100'000'000'000'000;

// 0 for what is no number: the originals leave a base of 0 times an infinite factor undefined.
inline amount amount_of(double value) noexcept {
    if (!(value > 0.0)) return 0;
    if (value >= static_cast<double>(most)) return most;
    return static_cast<amount>(value);
}

// trunc(base * factor): 3140 * 1.44 → 4521.
inline amount scaled(amount base, double factor) noexcept { return amount_of(static_cast<double>(base) * factor); }

}  // namespace gputide::rightsize
