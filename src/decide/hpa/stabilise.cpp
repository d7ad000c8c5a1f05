// Stabilisation; see stabilise.hpp for both formulas and their source.
#include "decide/hpa/stabilise.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

namespace {

constexpr std::size_t no_slot = static_cast<std::size_t>(-1);
constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();

// Drops what can never be the least or the greatest of a window that ends at a later time.
void drop_dominated(std::vector<recommendation>& history) {
    std::sort(history.begin(), history.end(),
              [](const recommendation& a, const recommendation& b) { return a.time_ms > b.time_ms; });
    std::int32_t lowest = most;
    std::int32_t highest = least;
    const auto dominated = [&](const recommendation& one) {
        const bool yes = one.replicas >= lowest && one.replicas <= highest;
        lowest = std::min(lowest, one.replicas);
        highest = std::max(highest, one.replicas);
        return yes;
    };
    history.erase(std::remove_if(history.begin(), history.end(), dominated), history.end());
    std::reverse(history.begin(), history.end());
}

void store(std::vector<recommendation>& history, std::size_t slot, const recommendation& entry) {
    if (slot != no_slot) {
        history[slot] = entry;
        return;
    }
    if (history.size() >= max_recommendations) {
        drop_dominated(history);
        if (history.size() >= max_recommendations) history.erase(history.begin());
    }
    history.push_back(entry);
}

}  // namespace

stabilised stabilise_legacy(std::vector<recommendation>& history, std::int32_t raw, std::int32_t window_s,
                            std::int64_t now_ms) {
    const std::int64_t cutoff_ms = now_ms - std::int64_t{window_s} * 1000;
    stabilised out;
    out.replicas = raw;
    std::size_t slot = no_slot;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const recommendation& one = history[i];
        if (one.time_ms < cutoff_ms) {
            slot = i;
        } else {
            out.replicas = std::max(out.replicas, one.replicas);
        }
    }
    out.why = reason::scale_down_stabilized;
    out.changed = out.replicas != raw;
    out.held_by = out.replicas;
    store(history, slot, {raw, now_ms});
    return out;
}

stabilised stabilise(std::vector<recommendation>& history, std::int32_t current, std::int32_t raw,
                     std::int32_t up_window_s, std::int32_t down_window_s, std::int64_t now_ms) {
    const std::int64_t up_from_ms = now_ms - std::int64_t{up_window_s} * 1000;
    const std::int64_t down_from_ms = now_ms - std::int64_t{down_window_s} * 1000;
    const std::int64_t slot_before_ms = std::min(up_from_ms, down_from_ms);
    std::int32_t up = raw;
    std::int32_t down = raw;
    std::size_t slot = no_slot;
    for (std::size_t i = 0; i < history.size(); ++i) {
        const recommendation& one = history[i];
        const std::int32_t replicas = one.replicas;  // read in any case, so that no branch is needed:
        down =
            std::max(down, one.time_ms > down_from_ms ? replicas : least);  // which one has expired changes every pass
        slot = one.time_ms < slot_before_ms ? i : slot;
    }
    if (up_window_s > 0) {  // usually 0, which nothing is newer than
        for (const recommendation& one : history) up = std::min(up, one.time_ms > up_from_ms ? one.replicas : most);
    }

    stabilised out;
    const bool upward = raw >= current;
    out.why = upward ? reason::scale_up_stabilized : reason::scale_down_stabilized;
    out.replicas = std::min(std::max(current, up), down);
    out.changed = out.replicas != raw;
    out.held_by = upward ? up : down;
    store(history, slot, {raw, now_ms});
    return out;
}

std::int64_t last_recommended_ms(const std::vector<recommendation>& history, std::int32_t replicas) noexcept {
    std::int64_t out = absent;
    for (const recommendation& one : history) {
        if (one.replicas == replicas) out = std::max(out, one.time_ms);
    }
    return out;
}

}  // namespace gputide::decide
