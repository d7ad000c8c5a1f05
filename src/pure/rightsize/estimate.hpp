// Amounts of a resource as in the VPA: integers from 0 to 1e14, truncated (millicores, bytes, percent); a target with its
// bounds, computed from percentiles as in the VPA's estimators; update modes.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/logic/estimator.go, pkg/utils/vpa/capping.go,
// pkg/recommender/model/types.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gputide::rightsize {

using amount = std::int64_t;
inline constexpr amount max_amount = 100'000'000'000'000;

// Converts; NaN gives 0: the VPA does not define a base of 0 times an infinite factor.
inline amount amount_of(double value) noexcept {
    if (!(value > 0.0)) return 0;
    if (value >= static_cast<double>(max_amount)) return max_amount;
    return static_cast<amount>(value);
}

// Returns trunc(base * factor): 3140 * 1.44 → 4521.
inline amount scaled(amount base, double factor) noexcept { return amount_of(static_cast<double>(base) * factor); }

// Returns base + trunc(base * fraction): 1000 with 0.15 → 1150.
amount with_margin(amount base, double fraction);

// The length of the history: days, or the number of samples in days at one sample per minute, whichever is less.
struct history {
    std::int64_t first_ms = 0;
    std::int64_t last_ms = 0;
    std::int64_t samples = 0;
};

// Returns min((last - first)/interval, samples/(interval in minutes)): 9 samples in 16 of 18 minutes → 0.5.
double confidence_of(const history& seen, std::int64_t interval_ms);

// Returns trunc(base * (1 + multiplier/confidence)^exponent).  Confidence 0 gives 1e14 for an upper bound, 0 for a lower one;
// a base of 0 stays 0.  Example: 3140 with 0.1, 2 and confidence 0.5 → 4521.
amount widened(amount base, double multiplier, double exponent, double confidence);

struct bounds {
    amount lower = 0;
    amount target = 0;
    amount upper = 0;

    friend bool operator==(const bounds&, const bounds&) = default;
};

// Widens both bounds: lower (1 + 0.001/c)^-2, upper 1 + 1/c.  After 12 hours of history the upper bound is 3 times the final
// one, after one day 2 times, after a week 1.14 times.
bounds widened(const bounds& plain, double confidence);

bounds raised_to(const bounds& plain, amount min);

// Divides a pod's minimum evenly among its containers: 25 by 2 → 12.
amount share_of_minimum(amount of_pod, std::int32_t containers);

// Limits an amount: raises it to `min`, then lowers it to `max`, which has precedence; 0: no limit.
struct caps {
    amount min = 0;
    amount max = 0;
};
amount capped(amount value, const caps& caps);
bounds capped(const bounds& plain, const caps& caps);

// Rounds up to a multiple: 587 in steps of 50 → 600.  A step of 1 or less changes nothing.
amount rounded_up(amount value, amount step);

// Tells whether an aggregate may be dropped: no sample for `interval` times `count`; without any sample the time counts from
// its creation.
bool expired(const history& seen, std::int64_t created_ms, std::int64_t now_ms, std::int64_t interval_ms,
             std::int32_t count);

// A VPA's update mode: how recommendations are applied to pods.
// kubernetes/autoscaler vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1/types.go (UpdateMode).

// The values of a VPA's updateMode; `automatic` is Auto, which currently means Recreate.
enum class update_mode : std::uint8_t { off, initial, recreate, automatic, in_place_or_recreate, in_place };
std::optional<update_mode> update_mode_of(std::string_view word);  // "Recreate"; case-sensitive, as in the API
const char* update_mode_name(update_mode mode) noexcept;

}  // namespace gputide::rightsize
