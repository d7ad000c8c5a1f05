// Scale events; see events.hpp.
#include "decide/hpa/events.hpp"

#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

void merge_two_oldest(std::vector<scale_event>& events) {
    const auto older = [](const scale_event& a, const scale_event& b) { return a.time_ms < b.time_ms; };
    const auto oldest = std::min_element(events.begin(), events.end(), older);
    const std::int32_t change = oldest->change;
    events.erase(oldest);
    scale_event& next = *std::min_element(events.begin(), events.end(), older);
    next.change = to_int32(std::int64_t{next.change} + change);
}

}  // namespace

std::int64_t changed_within(std::span<const scale_event> events, std::int32_t period_s, std::int64_t now_ms) noexcept {
    const std::int64_t after_ms = now_ms - std::int64_t{period_s} * 1000;
    std::int64_t sum = 0;
    for (const scale_event& one : events) {
        if (one.time_ms > after_ms) sum += one.change;
    }
    return sum;
}

void store_event(std::vector<scale_event>& events, const rules_view& rules, std::int32_t change, std::int64_t now_ms) {
    const std::int64_t cutoff_ms = now_ms - std::int64_t{longest_period_s(rules)} * 1000;
    scale_event* slot = nullptr;
    for (scale_event& one : events) {
        if (one.time_ms < cutoff_ms) one.outdated = true;
        if (one.outdated) slot = &one;
    }
    if (slot != nullptr) {
        *slot = {change, false, now_ms};
        return;
    }
    if (events.size() >= max_scale_events) merge_two_oldest(events);
    events.push_back({change, false, now_ms});
}

void store_rescale(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int64_t now_ms) {
    const behavior_view rules = behavior_of(policy);
    if (!rules.present) return;
    const std::int64_t change = std::int64_t{after} - before;
    if (change > 0) {
        store_event(state.ups, rules.up, to_int32(change), now_ms);
    } else {
        store_event(state.downs, rules.down, to_int32(-change), now_ms);
    }
}

}  // namespace gputide::decide
