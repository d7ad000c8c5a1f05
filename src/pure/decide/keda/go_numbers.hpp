// Two conversions as KEDA's Go code makes them, for values that are met again on its side.
#pragma once

#include <cstdint>
#include <optional>

namespace gputide::decide {

// A quantity's value as a float: milli times 0.001, not divided by 1000: 1001 → 1.0010000000000001.
// Source: kubernetes/apimachinery pkg/api/resource/quantity.go (AsApproximateFloat64).
inline double approximate_value(std::int64_t milli) noexcept { return static_cast<double>(milli) * 0.001; }

// Go's int64(value) where the language gives it a meaning: toward zero; nothing for NaN, infinities and beyond int64.
inline std::optional<std::int64_t> truncated(double value) noexcept {
    constexpr double bound = 9223372036854775808.0;  // 2^63
    if (!(value >= -bound && value < bound)) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

}  // namespace gputide::decide
