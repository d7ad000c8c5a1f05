// Conversions that saturate at the bounds of their type instead of wrapping.  All replica counts use them; sums use
// base/saturate.hpp.
// Upstream relied on Go's unspecified conversion: on amd64 an overflow became -2147483648 and scaled a workload to its
// minimum (kubernetes/kubernetes issue 126892, fixed in several places up to PR 141397).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace gputide::decide {

// Cuts toward zero: 2.9 → 2, -2.9 → -2, 3e9 → 2147483647, -3e9 → -2147483648, NaN → 0.
inline std::int32_t to_int32(double value) noexcept {
    if (value >= 2147483647.0) return std::numeric_limits<std::int32_t>::max();
    if (value <= -2147483648.0) return std::numeric_limits<std::int32_t>::min();
    return value == value ? static_cast<std::int32_t>(value) : 0;
}

inline std::int32_t to_int32(std::int64_t value) noexcept {
    if (value > std::numeric_limits<std::int32_t>::max()) return std::numeric_limits<std::int32_t>::max();
    if (value < std::numeric_limits<std::int32_t>::min()) return std::numeric_limits<std::int32_t>::min();
    return static_cast<std::int32_t>(value);
}

// Rounds up, given the value and its truncation `cut`; avoids std::ceil.
template <class Whole>
Whole rounded_up(double value, Whole cut) noexcept {
    const bool is_less = value > static_cast<double>(cut) && cut != std::numeric_limits<Whole>::max();
    return is_less ? cut + 1 : cut;
}

// Rounds a proposal up: 5.04 → 6, 5.0 → 5, -0.5 → 0.
inline std::int32_t ceil_replicas(double value) noexcept { return rounded_up(value, to_int32(value)); }

inline std::int64_t to_int64(double value) noexcept {
    if (value >= 9223372036854775808.0) return std::numeric_limits<std::int64_t>::max();
    if (value <= -9223372036854775808.0) return std::numeric_limits<std::int64_t>::min();
    return value == value ? static_cast<std::int64_t>(value) : 0;
}

// Rounds up: 5041.5 → 5042.
inline std::int64_t ceil_int64(double value) noexcept { return rounded_up(value, to_int64(value)); }

// Limits an external time to 285,000 years around 1970, so that sums of a few times and windows cannot overflow.
inline constexpr std::int64_t latest_ms = 9'000'000'000'000'000;  // a whole second
inline std::int64_t sane_time(std::int64_t time_ms) noexcept {
    return time_ms > latest_ms ? latest_ms : time_ms < -latest_ms ? -latest_ms : time_ms;
}

// ---- two conversions as in KEDA's Go code

// Returns a quantity's value as a float: milli times 0.001, not divided by 1000: 1001 → 1.0010000000000001.
// Source: kubernetes/apimachinery pkg/api/resource/quantity.go (AsApproximateFloat64).
inline double approximate_value(std::int64_t milli) noexcept { return static_cast<double>(milli) * 0.001; }

// Returns Go's int64(value) where Go defines it: truncated toward zero; nothing for NaN, infinities and values beyond int64.
inline std::optional<std::int64_t> truncated(double value) noexcept {
    constexpr double bound = 9223372036854775808.0;  // 2^63
    if (!(value >= -bound && value < bound)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

}  // namespace gputide::decide
