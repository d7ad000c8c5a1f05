// Learns the weight of each part: exponentially forgotten, bounded least squares by coordinate descent, in which an
// unusual error has less weight (Huber's weight).
#pragma once

#include "forecast/parts.hpp"

#include <array>
#include <cstddef>

namespace gputide::forecast {

inline constexpr std::size_t pair_count = part_count * (part_count + 1) / 2;

// Returns the index of S[i][j], i <= j: 00 01 02 03 04 11 12 … 44.
constexpr std::size_t pair_at(std::size_t i, std::size_t j) noexcept {
    return i <= j ? i * part_count - i * (i + 1) / 2 + j : pair_at(j, i);
}

struct weights {
    std::array<double, pair_count> products{};  // S: Σ o · f · f, symmetric
    parts targets{};                            // r: Σ o · f · (v - v')
    double loads = 0.0;                         // Q: Σ o · v'², the scale of the ridge
    double usual_error = 0.0;                   // E
    parts values{};                             // w; 0 at first: the first forecast equals the last value
};

// A past forecast: its parts f, the value v' it started from, and the errors of forecast and last value (e = v - F, en
// = v - v').
struct lesson {
    const parts& factors;
    double last_value;
    double error;
    double error_last_value;
};

// λ = 1 - slot / day, o = E / |e| where |e| is beyond the usual error E, else 1:
//   S = λS + o·f·f, r = λr + o·f·en, Q = λQ + o·v'²
//   w[i] = clip((r[i] - Σ_{j≠i} S[i][j]·w[j]) / (1.02·S[i][i] + 1e-9·Q), low[i], high[i]), one sweep
// Worked: first lesson f = (0, 0, 0, 2, 0), v' = 100, en = 1: S33 = 4, r3 = 2, Q = 10^4 → w3 = 2 / 4.08001 = 0.4902.
void learn(weights& weights, const lesson& lesson, double slot_s) noexcept;

}  // namespace gputide::forecast
