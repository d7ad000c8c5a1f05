#include "rightsize/estimate.hpp"

#include "base/go_math.hpp"

#include <algorithm>
#include <array>

namespace gputide::rightsize {

amount with_margin(amount base, double fraction) { return std::min(base + scaled(base, fraction), max_amount); }

double confidence_of(const history& seen, std::int64_t interval_ms) {
    constexpr double minute_ms = 60'000.0;
    const auto interval = static_cast<double>(interval_ms);
    const double lifespan = static_cast<double>(seen.last_ms - seen.first_ms) / interval;
    return std::min(lifespan, static_cast<double>(seen.samples) / (interval / minute_ms));
}

amount widened(amount base, double multiplier, double exponent, double confidence) {
    return scaled(base, go_pow(1.0 + multiplier / confidence, exponent));
}

bounds widened(const bounds& plain, double confidence) {
    return {widened(plain.lower, 0.001, -2.0, confidence), plain.target, widened(plain.upper, 1.0, 1.0, confidence)};
}

bounds raised_to(const bounds& plain, amount min) {
    return {std::max(plain.lower, min), std::max(plain.target, min), std::max(plain.upper, min)};
}

amount share_of_minimum(amount of_pod, std::int32_t containers) {
    return scaled(of_pod, 1.0 / std::max(containers, 1));
}

amount capped(amount value, const caps& caps) {
    if (caps.min > 0 && value < caps.min) value = caps.min;
    if (caps.max > 0 && value > caps.max) value = caps.max;
    return value;
}

bounds capped(const bounds& plain, const caps& caps) {
    return {capped(plain.lower, caps), capped(plain.target, caps), capped(plain.upper, caps)};
}

amount rounded_up(amount value, amount step) {
    if (step <= 1 || value % step == 0) return value;
    return value - value % step + step;
}

bool expired(const history& seen, std::int64_t created_ms, std::int64_t now_ms, std::int64_t interval_ms,
             std::int32_t count) {
    return now_ms >= (seen.samples == 0 ? created_ms : seen.last_ms) + interval_ms * count;
}

namespace {

constexpr std::array mode_names{"Off", "Initial", "Recreate", "Auto", "InPlaceOrRecreate", "InPlace"};

}  // namespace

std::optional<update_mode> update_mode_of(std::string_view word) {
    for (std::size_t i = 0; i < mode_names.size(); ++i)
        if (word == mode_names[i]) return static_cast<update_mode>(i);
    return std::nullopt;
}

const char* update_mode_name(update_mode mode) noexcept { return mode_names[static_cast<std::size_t>(mode)]; }

}  // namespace gputide::rightsize
