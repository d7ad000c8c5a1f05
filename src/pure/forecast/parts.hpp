// The five parts that a forecast adds to the last value, and their weights.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gputide::forecast {

inline constexpr std::size_t part_count = 5;
using parts = std::array<double, part_count>;  // day, week, hour, trend, noise

enum part : std::size_t { day_part = 0, week_part = 1, hour_part = 2, trend_part = 3, noise_part = 4 };
inline constexpr std::array<std::string_view, part_count> part_names{"day", "week", "hour", "trend", "noise"};

// Returns Σ weight · value, first to last.
constexpr double weighted_sum(const parts& weights, const parts& values) noexcept {
    double sum = 0.0;
    for (std::size_t i = 0; i < part_count; ++i) sum += weights[i] * values[i];
    return sum;
}

}  // namespace gputide::forecast
