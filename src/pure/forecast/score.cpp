#include "forecast/score.hpp"

#include "forecast/arithmetic.hpp"

namespace gputide::forecast {

namespace {

// Returns the loss.  Worked: quantile 0.9, 2 short → 1.8; 2 too many → 0.2.
double pinball(double quantile, double shortage) noexcept {
    return shortage >= 0 ? quantile * shortage : (quantile - 1) * shortage;
}

// Updates q = clip(q + 0.02 · ([e > q·s] - (1 - quantile)), 0, 10), then s from |e|.
void follow(band& band, double error, double quantile, double slot_s) noexcept {
    if (band.scale > 0) {
        const double missed = error > band.reach() ? 1.0 : 0.0;
        band.width = clip(band.width + 0.02 * (missed - (1 - quantile)), 0, 10);
    }
    const double size = magnitude(error);
    band.scale = band.scale == 0 ? size : band.scale + slot_s / usual_error_s * (size - band.scale);
}

}  // namespace

void add(score& score, const outcome& outcome, const settings& settings) noexcept {
    const double slot_s = static_cast<double>(settings.slot_ms) / 1000;
    const double kept = 1 - slot_s / day_s;
    score.loss = kept * score.loss + pinball(settings.quantile, outcome.value - outcome.upper);
    score.loss_last_value =
        kept * score.loss_last_value + pinball(settings.quantile, outcome.value - outcome.upper_last_value);
    score.error = kept * score.error + magnitude(outcome.error);
    score.error_last_value = kept * score.error_last_value + magnitude(outcome.error_last_value);
    score.held = kept * score.held + (outcome.value <= outcome.upper ? 1.0 : 0.0);
    score.count = kept * score.count + 1.0;
    follow(score.edge, outcome.error, settings.quantile, slot_s);
    follow(score.edge_last_value, outcome.error_last_value, settings.quantile, slot_s);
    ++score.scored;
    if (!is_warm(score, settings)) return;
    const double by = skill(score);
    score.in_use = score.in_use ? by >= 0 : by >= 0.02;
}

bool is_warm(const score& score, const settings& settings) noexcept {
    return score.scored >= (settings.warmup_ms + settings.slot_ms - 1) / settings.slot_ms;
}

double skill(const score& score) noexcept {
    return score.loss_last_value == 0 ? 0.0 : 1 - score.loss / score.loss_last_value;
}

}  // namespace gputide::forecast
