#include "forecast/weights.hpp"

#include "forecast/arithmetic.hpp"

#include <algorithm>

namespace gputide::forecast {

namespace {

constexpr parts lowest{0, 0, 0, -0.5, 0};
constexpr parts highest{1.25, 1.25, 1.25, 1.5, 1};

double huber_weight(double usual, double size) noexcept { return usual > 0 && size > usual ? usual / size : 1.0; }

void add(weights& weights, const lesson& lesson, double share, double kept) noexcept {
    std::size_t at = 0;
    for (std::size_t i = 0; i < part_count; ++i) {
        const double weighted = share * lesson.factors[i];
        for (std::size_t j = i; j < part_count; ++j, ++at) {
            weights.products[at] = kept * weights.products[at] + weighted * lesson.factors[j];
        }
        weights.targets[i] = kept * weights.targets[i] + weighted * lesson.error_last_value;
    }
    weights.loads = kept * weights.loads + share * (lesson.last_value * lesson.last_value);
}

// Updates each weight in turn, with the current values of the others.
void sweep(weights& weights) noexcept {
    for (std::size_t i = 0; i < part_count; ++i) {
        double left = weights.targets[i];
        for (std::size_t j = 0; j < part_count; ++j) {
            if (j != i) left -= weights.products[pair_at(i, j)] * weights.values[j];
        }
        const double divisor = 1.02 * weights.products[pair_at(i, i)] + 1e-9 * weights.loads;
        weights.values[i] = divisor == 0 ? 0.0 : clip(left / divisor, lowest[i], highest[i]);
    }
}

}  // namespace

void learn(weights& weights, const lesson& lesson, double slot_s) noexcept {
    const double size = magnitude(lesson.error);
    const double share = huber_weight(weights.usual_error, size);
    if (weights.usual_error == 0) {
        weights.usual_error = size;
    } else {
        weights.usual_error +=
            slot_s / usual_error_s * (std::min(size, 10 * weights.usual_error) - weights.usual_error);
    }
    add(weights, lesson, share, 1 - slot_s / day_s);
    sweep(weights);
}

}  // namespace gputide::forecast
