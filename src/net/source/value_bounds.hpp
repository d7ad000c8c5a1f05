// The values that an expression can have, as an interval, and the arithmetic of such intervals.  Pure.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

namespace gputide::source {

struct value_bounds {
    static constexpr double unknown = std::numeric_limits<double>::infinity();

    double min = -unknown;  // an infinity: no bound is known
    double max = unknown;
};

// 0 × infinity is 0: an infinity stands for a finite number that is not known.
inline double known_product(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

// [0, 1] × [-1, -1] = [-1, 0]
inline value_bounds product_of(const value_bounds& a, const value_bounds& b) {
    const std::array corners = {known_product(a.min, b.min), known_product(a.min, b.max), known_product(a.max, b.min),
                                known_product(a.max, b.max)};
    const auto [min, max] = std::minmax_element(corners.begin(), corners.end());
    return {*min, *max};
}

inline value_bounds sum_of(const value_bounds& a, const value_bounds& b) { return {a.min + b.min, a.max + b.max}; }
inline value_bounds negative_of(const value_bounds& of) { return {-of.max, -of.min}; }

// Of a value that is one of the two.
inline value_bounds either_of(const value_bounds& a, const value_bounds& b) {
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

}  // namespace gputide::source
