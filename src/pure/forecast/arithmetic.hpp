// Arithmetic of all forecast steps.  Only the four operations, comparisons and ceil, which IEEE 754 rounds in one way
// only: with contraction off (-ffp-contract=off) every machine gets the same bits.
#pragma once

#include <cstdint>
#include <limits>

namespace gputide::forecast {

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();  // missing value
constexpr bool is_none(double value) noexcept { return value != value; }

inline constexpr double day_s = 86'400;
inline constexpr double week_s = 604'800;
inline constexpr double usual_error_s = 28'800;  // memory of the error scales: 8 h

constexpr double clip(double value, double least, double most) noexcept {
    return value < least ? least : value > most ? most : value;
}
constexpr double magnitude(double value) noexcept { return value < 0 ? -value : value; }

// Divides and rounds down, also below 0: floor_div(-1, 60) → -1, floor_mod(-1, 60) → 59.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0 ? 1 : 0); }
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) noexcept { return a % b + (a % b < 0 ? b : 0); }

}  // namespace gputide::forecast
