// Stabilisation; see stabilise.hpp for both formulas and their source.
#include "decide/hpa/stabilise.hpp"

#include "decide/observation.hpp"

#include <algorithm>

namespace gputide::decide {

stabilised stabilise_legacy(recommendation_history& history, std::int32_t raw, std::int32_t window_s,
                            std::int64_t now_ms) {
    const std::int64_t cutoff_ms = now_ms - std::int64_t{window_s} * 1000;
    stabilised out;
    out.replicas = std::max(raw, history.highest_after(cutoff_ms - 1));
    out.why = reason::scale_down_stabilized;
    out.changed = out.replicas != raw;
    out.held_by = out.replicas;
    history.store({raw, now_ms}, cutoff_ms);
    return out;
}

stabilised stabilise(recommendation_history& history, std::int32_t current, std::int32_t raw, std::int32_t up_window_s,
                     std::int32_t down_window_s, std::int64_t now_ms) {
    const std::int64_t up_after_ms = now_ms - std::int64_t{up_window_s} * 1000;
    const std::int64_t down_after_ms = now_ms - std::int64_t{down_window_s} * 1000;
    // Nothing is newer than now: a window of 0, the usual one for up, holds nothing back.
    const std::int32_t up = up_window_s > 0 ? std::min(raw, history.lowest_after(up_after_ms)) : raw;
    const std::int32_t down = down_window_s > 0 ? std::max(raw, history.highest_after(down_after_ms)) : raw;

    stabilised out;
    const bool upward = raw >= current;
    out.why = upward ? reason::scale_up_stabilized : reason::scale_down_stabilized;
    out.replicas = std::min(std::max(current, up), down);
    out.changed = out.replicas != raw;
    out.held_by = upward ? up : down;
    history.store({raw, now_ms}, std::min(up_after_ms, down_after_ms));
    return out;
}

std::int64_t last_recommended_ms(const recommendation_history& history, std::int32_t replicas) noexcept {
    std::int64_t out = absent;
    for (const recommendation& one : history) {
        if (one.replicas == replicas) out = std::max(out, one.time_ms);
    }
    return out;
}

}  // namespace gputide::decide
