// Reduces many numbers to one.  Pure; shared by all sources.
#pragma once

#include "formats/reading.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gputide::formats {

// Returns the newest point of each series of a complete reading.
numbers numbers_of(const reading& whole);

// Tells whether a reducer is known: avg, max, min, sum, count, or pNN with 0 <= NN <= 100 (p95, p99.9).
bool known_reducer(std::string_view reducer);

struct reduced {
    double value = 0.0;
    std::int64_t time_ms = 0;  // of the oldest used point: a result is as old as its oldest input
    std::size_t used = 0;      // number of finite points; 0: no value
    std::size_t dropped = 0;   // number of NaN and infinities
};

// Reduces the points.  Percentiles by nearest rank: the k-th smallest with k = ceil(NN / 100 × n), at least the first.
// Examples: p90 of {1..10} → k = 9 → 9; p50 of {1, 2, 3} → k = 2 → 2.
reduced reduce(std::span<const point> points, std::string_view reducer);

}  // namespace gputide::formats
