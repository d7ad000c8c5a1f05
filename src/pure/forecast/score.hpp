// The forecast's quality against "the load stays the same", and the widths of the bands that would have held.
#pragma once

#include "forecast/settings.hpp"

#include <cstdint>

namespace gputide::forecast {

// Upper edge = forecast + width · scale, adjusted so that it holds as often as the quantile requires (adaptive
// conformal inference in its plainest form).
struct band {
    double width = 1.5;  // q
    double scale = 0.0;  // s: the usual error over about 8 h; 0: none yet

    double reach() const noexcept { return width * scale; }
};

struct score {
    double loss = 0.0;             // of the forecast's upper edge, over about a day; all sums below as well
    double loss_last_value = 0.0;  // of the last value
    double error = 0.0;            // Σ|e|
    double error_last_value = 0.0;
    double held = 0.0;   // Σ[v <= U]
    double count = 0.0;  // Σ1
    band edge;
    band edge_last_value;
    std::int64_t scored = 0;  // number of scored slots
    bool in_use = false;
};

// A forecast and the actual load.
struct outcome {
    double value;
    double error;             // e = v - F
    double error_last_value;  // en = v - v'
    double upper;             // U
    double upper_last_value;  // Un
};

// A shortage of x costs quantile · x, an excess (1 - quantile) · x: the newsvendor's cost of both upper edges.  A mean
// error would reward accuracy in the flat hours.  The forecast is used once skill = 1 - loss / loss_last_value reaches
// 0.02, and no longer below 0.
void add(score& score, const outcome& outcome, const settings& settings) noexcept;

bool is_warm(const score& score, const settings& settings) noexcept;  // scored >= warmup / slot
double skill(const score& score) noexcept;                            // 0 while the last value has no loss

}  // namespace gputide::forecast
