// The steps from a recommendation to a size; behavior.hpp has their formulas and sources.  Under KEDA the HPA's minimum is 1
// or more, so the rules for zero replicas never change a ScaledObject.
#include "decide/hpa/behavior.hpp"

#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

std::int32_t longest_period_s(const manifest::scaling_rules& rules) noexcept {
    std::int32_t longest = 0;
    for (const manifest::scaling_policy& rule : rules.policies) longest = std::max(longest, rule.period_s);
    return longest;
}

stabilized stabilize_legacy(recommendation_history& history, std::int32_t raw, std::int32_t window_s,
                            std::int64_t now_ms) {
    const std::int64_t cutoff_ms = now_ms - std::int64_t{window_s} * 1000;
    stabilized out;
    out.replicas = std::max(raw, history.highest_after(cutoff_ms - 1));
    out.why = reason::scale_down_stabilized;
    out.changed = out.replicas != raw;
    out.held_by = out.replicas;
    history.store({raw, now_ms}, cutoff_ms);
    return out;
}

stabilized stabilize(recommendation_history& history, std::int32_t current, std::int32_t raw, std::int32_t up_window_s,
                     std::int32_t down_window_s, std::int64_t now_ms) {
    const std::int64_t up_after_ms = now_ms - std::int64_t{up_window_s} * 1000;
    const std::int64_t down_after_ms = now_ms - std::int64_t{down_window_s} * 1000;
    // A window of 0, the usual one for scaling up, holds nothing: no entry is newer than now.
    const std::int32_t up = up_window_s > 0 ? std::min(raw, history.lowest_after(up_after_ms)) : raw;
    const std::int32_t down = down_window_s > 0 ? std::max(raw, history.highest_after(down_after_ms)) : raw;

    stabilized out;
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
    for (const recommendation& entry : history) {
        if (entry.replicas == replicas) out = std::max(out, entry.time_ms);
    }
    return out;
}

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
    for (const scale_event& event : events) {
        if (event.time_ms > after_ms) sum += event.change;
    }
    return sum;
}

void store_event(std::vector<scale_event>& events, const manifest::scaling_rules& rules, std::int32_t change,
                 std::int64_t now_ms) {
    const std::int64_t cutoff_ms = now_ms - std::int64_t{longest_period_s(rules)} * 1000;
    scale_event* slot = nullptr;
    for (scale_event& event : events) {
        if (event.time_ms < cutoff_ms) event.outdated = true;
        if (event.outdated) slot = &event;
    }
    if (slot != nullptr) {
        *slot = {change, false, now_ms};
        return;
    }
    if (events.size() >= max_scale_events) merge_two_oldest(events);
    events.push_back({change, false, now_ms});
}

void store_rescale(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int64_t now_ms) {
    const manifest::behavior* const rules = behavior_of(policy);
    if (rules == nullptr) return;
    const std::int64_t change = std::int64_t{after} - before;
    if (change > 0) {
        store_event(state.ups, rules->up, to_int32(change), now_ms);
    } else {
        store_event(state.downs, rules->down, to_int32(-change), now_ms);
    }
}

namespace {

std::int64_t size_at_start(std::int32_t current, std::int32_t period_s, const event_history& events) noexcept {
    return std::int64_t{current} - changed_within(events.ups, period_s, events.now_ms) +
           changed_within(events.downs, period_s, events.now_ms);
}

std::int32_t up_candidate(const manifest::scaling_policy& rule, std::int64_t start) noexcept {
    if (rule.type == manifest::policy_type::pods) return to_int32(start + rule.value);
    return ceil_replicas(static_cast<double>(start) * (1 + static_cast<double>(rule.value) / 100));
}

std::int32_t down_candidate(const manifest::scaling_policy& rule, std::int64_t start) noexcept {
    if (rule.type == manifest::policy_type::pods) return to_int32(start - rule.value);
    return to_int32(static_cast<double>(start) * (1 - static_cast<double>(rule.value) / 100));
}

// Returns the greatest or the smallest candidate; of equal ones the earlier policy's.
template <class Candidate>
rate_limit select(const manifest::scaling_rules& rules, std::int32_t current, const event_history& events,
                  bool greatest, Candidate candidate) noexcept {
    rate_limit out{current, -1, current};
    if (rules.select == manifest::select_policy::disabled) return out;
    for (std::size_t i = 0; i < rules.policies.size(); ++i) {
        const std::int64_t start = size_at_start(current, rules.policies[i].period_s, events);
        const std::int32_t limit = candidate(rules.policies[i], start);
        const bool better = greatest ? limit > out.replicas : limit < out.replicas;
        if (out.policy < 0 || better) out = {limit, static_cast<std::int32_t>(i), to_int32(start)};
    }
    return out;
}

}  // namespace

std::int32_t legacy_up_limit(std::int32_t current, double factor, double min) noexcept {
    return to_int32(std::max(factor * static_cast<double>(current), min));
}

rate_limit up_limit(const manifest::scaling_rules& rules, std::int32_t current, const event_history& events) noexcept {
    return select(rules, current, events, rules.select == manifest::select_policy::max, up_candidate);
}

rate_limit down_limit(const manifest::scaling_rules& rules, std::int32_t current,
                      const event_history& events) noexcept {
    return select(rules, current, events, rules.select == manifest::select_policy::min, down_candidate);
}

namespace {

bounded grow(const manifest::scaling_rules& rules, std::int32_t current, std::int32_t desired, std::int32_t max,
             const event_history& events) noexcept {
    bounded out;
    out.rate = up_limit(rules, current, events);
    const std::int32_t limit = std::max(out.rate.replicas, current);
    const std::int32_t top = std::min(limit, max);
    out.replicas = std::min(desired, top);
    if (desired > top) out.why = max > limit ? reason::scale_up_limit : reason::too_many_replicas;
    return out;
}

bounded shrink(const manifest::scaling_rules& rules, std::int32_t current, std::int32_t desired, std::int32_t min,
               const event_history& events) noexcept {
    bounded out;
    out.rate = down_limit(rules, current, events);
    const std::int32_t limit = std::min(out.rate.replicas, current);
    const std::int32_t bottom = std::max(limit, min);
    out.replicas = std::max(desired, bottom);
    if (desired < bottom) out.why = min < limit ? reason::scale_down_limit : reason::too_few_replicas;
    return out;
}

}  // namespace

bounded bound_legacy(std::int32_t current, std::int32_t desired, const replica_bounds& within,
                     std::int32_t limit) noexcept {
    const bool rate_rules = within.max > limit;
    const std::int32_t top = rate_rules ? limit : within.max;
    bounded out;
    out.rate = {limit, -1, current};
    out.replicas = desired;
    if (desired < within.min) {
        out.replicas = within.min;
        out.why = reason::too_few_replicas;
    } else if (desired > top) {
        out.replicas = top;
        out.why = rate_rules ? reason::scale_up_limit : reason::too_many_replicas;
    }
    return out;
}

bounded bound(const manifest::behavior& rules, std::int32_t current, std::int32_t desired, const replica_bounds& within,
              const event_history& events) noexcept {
    if (desired > current) return grow(rules.up, current, desired, within.max, events);
    if (desired < current) return shrink(rules.down, current, desired, within.min, events);
    bounded out;
    out.replicas = desired;
    out.rate = {current, -1, current};
    return out;
}

namespace {

bool has_object_or_external(const policy& policy) noexcept {
    return std::ranges::any_of(policy.metrics, [](const metric_policy& metric) { return is_one_number(metric.kind); });
}

bool is_decided_by_condition(const policy& policy) noexcept {
    return manifest::holds(manifest::version_rule::leaves_own_zero_only, policy.scaling.controller.versions);
}

bool has_condition(const policy& policy) noexcept {
    return is_decided_by_condition(policy) && policy.scaling.controller.can_scale_to_zero();
}

void forget_zero(state& state) noexcept {
    state.scaled_to_zero = false;
    remove_condition(state.conditions, condition_type::scaled_to_zero);
}

}  // namespace

bool leaves_zero(const policy& policy, const state& state, std::int32_t min) noexcept {
    if (!is_decided_by_condition(policy)) return min == 0;
    return has_condition(policy) && state.scaled_to_zero && (min != 0 || has_object_or_external(policy));
}

std::int32_t raised_from_zero(const policy& policy, const state& state, std::int32_t desired,
                              std::int32_t min) noexcept {
    return state.scaled_to_zero && has_condition(policy) ? std::max(desired, min) : desired;
}

void note_zero(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int32_t min,
               std::int64_t now_ms) noexcept {
    if (!has_condition(policy)) return forget_zero(state);
    state.scaled_to_zero = before > 0 && after == 0 && min == 0 && has_object_or_external(policy);
    set_condition(state.conditions, condition_type::scaled_to_zero, state.scaled_to_zero ? truth::yes : truth::no,
                  state.scaled_to_zero ? reason::scaled_to_zero : reason::not_scaled_to_zero, now_ms);
}

void note_disabled_at_zero(const policy& policy, state& state) noexcept {
    if (!has_condition(policy)) forget_zero(state);
}

}  // namespace gputide::decide
