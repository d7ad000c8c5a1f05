// Creates a state with memory for everything that the policy's windows and periods can hold, so that steady ticks never
// allocate; corrects a state after the clock was set back; stores and repeats results; continues from an inherited state;
// records the result of a decision's write.
#include "decide/state/state.hpp"

#include "base/saturate.hpp"
#include "decide/decide.hpp"
#include "decide/decision.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/pass.hpp"
#include "decide/keda/executor.hpp"
#include "decide/saturate.hpp"
#include "decide/trace/texts.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gputide::decide {

void forget_reads(std::vector<metric_health>& health) noexcept {
    for (metric_health& metric : health) {
        metric.read = {};
        metric.held.reset();
    }
}

namespace {

constexpr std::int64_t usual_period_ms = 15'000;

// Returns the number of entries in a window.  A pass stores one entry and reuses one expired slot, so a window has at most
// window / period + 2 entries: both ends, and the entry that expires while the next is stored.  Example: 300 s, 15 s → 22.
std::size_t entries_within(std::int64_t window_s, std::int64_t period_ms, std::size_t max) {
    const std::int64_t every_ms = period_ms > 0 ? period_ms : usual_period_ms;
    return std::min(static_cast<std::size_t>(window_s * 1000 / every_ms + 2), max);
}

}  // namespace

state make_state(const policy& policy, std::int64_t created_ms) {
    const manifest::behavior* const rules = behavior_of(policy);
    const std::int64_t period_ms = policy.scaling.extra.sync_period_ms;
    const std::int32_t window_s = rules != nullptr ? std::max(rules->up.window_s, rules->down.window_s)
                                                   : policy.scaling.controller.downscale_window_s;
    state out;
    out.created_ms = created_ms == absent ? policy.scaling.created_ms.value_or(absent) : created_ms;
    if (out.created_ms != absent) out.created_ms = sane_time(out.created_ms);
    out.newest_ms = out.created_ms;
    out.health.resize(policy.metrics.size());
    out.recommendations.reserve(entries_within(window_s, period_ms, max_recommendations));
    if (rules != nullptr) {
        out.ups.reserve(entries_within(longest_period_s(rules->up), period_ms, max_scale_events));
        out.downs.reserve(entries_within(longest_period_s(rules->down), period_ms, max_scale_events));
    }
    out.confirmations.reserve(static_cast<std::size_t>(std::max(0, policy.scaling.extra.confirm_n)));
    if (!policy.forecast) return out;
    prepare_forecast(policy, out);
    state& shadow = out.forecast.front().shadow;
    shadow.recommendations.reserve(out.recommendations.capacity());
    shadow.ups.reserve(out.ups.capacity());
    shadow.downs.reserve(out.downs.capacity());
    shadow.confirmations.reserve(out.confirmations.capacity());
    return out;
}

namespace {

// Calls visit_time(time) for each time that is a `now` of this library, except those of recommendations.  A sample's time is
// from its peer's clock, which may be slightly ahead.
template <class State, class One>
void for_each_time(State& state, One visit_time) {
    visit_time(state.created_ms);
    visit_time(state.last_active_ms);
    visit_time(state.last_verdict.time_ms);
    for (auto& event : state.ups) visit_time(event.time_ms);
    for (auto& event : state.downs) visit_time(event.time_ms);
    for (auto& condition : state.conditions) visit_time(condition.since_ms);
}

// Makes a half due if its last run is ahead of now: the time since then is unknown.
void forget_if_ahead(std::int64_t& last_ms, std::int64_t now_ms) noexcept {
    if (last_ms > now_ms) last_ms = absent;
}

// Does the work of set_clock() for a clock that was set back, which is rare.
[[gnu::cold]] std::int64_t set_clock_back(state& state, std::int64_t now_ms) noexcept {
    const std::int64_t newest_ms = newest_time_of(state);
    for (metric_health& health : state.health) {
        health.last.time_ms = std::min(health.last.time_ms, now_ms);
        health.read.time_ms = std::min(health.read.time_ms, now_ms);
    }
    for_each_time(state, [now_ms](std::int64_t& time_ms) { time_ms = std::min(time_ms, now_ms); });
    for (load_forecast& forecast : state.forecast) {
        for_each_time(forecast.shadow, [now_ms](std::int64_t& time_ms) { time_ms = std::min(time_ms, now_ms); });
        forecast.shadow.recommendations.clamp_times(now_ms);
    }
    state.recommendations.clamp_times(now_ms);
    forget_if_ahead(state.last_executor_ms, now_ms);
    forget_if_ahead(state.last_hpa_ms, now_ms);
    return newest_ms > now_ms ? subtract_saturating(newest_ms, now_ms) : 0;
}

}  // namespace

std::int64_t set_clock(state& state, std::int64_t now_ms) noexcept {
    const bool is_set_back = state.newest_ms > now_ms;
    state.newest_ms = now_ms;
    return is_set_back ? set_clock_back(state, now_ms) : 0;
}

std::int64_t newest_time_of(const state& state) noexcept {
    std::int64_t newest_ms = std::max(state.last_executor_ms, state.last_hpa_ms);
    for_each_time(state, [&newest_ms](std::int64_t time_ms) { newest_ms = std::max(newest_ms, time_ms); });
    for (const recommendation& entry : state.recommendations) newest_ms = std::max(newest_ms, entry.time_ms);
    return newest_ms;
}

void show_verdict(const verdict& last, std::int64_t now_ms, decision& decision) noexcept {
    const bool exists = last.time_ms != absent;
    const limit executors = decision.limited_by;
    const bool has_own = !decision.executor_ran || executors != limit::none;
    if (exists) static_cast<hpa_result&>(decision) = last;
    decision.limited_by = has_own ? executors : exists ? last.limited_by : limit::not_due;
    if (exists) decision.verdict_age_ms = now_ms - last.time_ms;
}

void inherit(const policy& policy, state& state, const inherited_state& inherited_state, std::int64_t now_ms) {
    state.last_active_ms = std::max(state.last_active_ms, std::min(inherited_state.last_active_ms, now_ms));
    if (state.last_executor_ms != absent) return;
    state.health.resize(policy.metrics.size());
    for (std::size_t i = 0; i < state.health.size(); ++i) {
        for (const inherited_health& health : inherited_state.health) {
            if (health.metric != policy.metrics[i].name) continue;
            state.health[i].failures = health.failures;
            state.health[i].failing = health.failing;
        }
    }
}

// ---- the result of a write.  Scale events, the last active time of an activation and ScaledToZero follow applied writes, not
// wanted ones.

namespace {

// An id has the decision's number in its lower half, and above it 21 bits of a checksum over the members that a record
// depends on.
constexpr std::uint64_t number_mask = 0xFFFF'FFFFU;
constexpr std::uint64_t sum_mask = 0x1F'FFFFU;

std::uint32_t number_of(const decision& decision) noexcept {
    return static_cast<std::uint32_t>(decision.id & number_mask);
}

// Finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every bit of the sum.
std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

enum class record_fault : std::int32_t { none = 0, foreign = 1, repeated = 2 };

record_fault judge(const state& state, const decision& decision) noexcept {
    const std::uint32_t number = number_of(decision);
    const bool is_own = number > 0 && number <= state.decisions && decision.id == id_of(state, decision, number);
    if (!is_own) return record_fault::foreign;
    return number <= state.recorded ? record_fault::repeated : record_fault::none;
}

// Returns true once per decision: if it wanted a write and has not been recorded yet.
bool settle(state& state, const decision& decision) noexcept {
    if (judge(state, decision) != record_fault::none) return false;
    state.recorded = number_of(decision);
    return decision.desired_replicas != decision.current_replicas;
}

}  // namespace

event event_of_write(event wanted, bool is_applied) noexcept {
    if (is_applied) return wanted;
    switch (wanted) {
        case event::activated:
            return event::activation_failed;
        case event::deactivated:
            return event::deactivation_failed;
        default:
            return wanted;
    }
}

std::uint64_t id_of(const state& state, const decision& decision, std::uint32_t number) noexcept {
    const std::uint64_t seed = number > state.original_decisions ? state.id_seed : state.original_seed;
    const std::uint64_t sizes = (std::uint64_t{static_cast<std::uint32_t>(decision.current_replicas)} << 32U) |
                                static_cast<std::uint32_t>(decision.desired_replicas);
    return ((mixed(mixed(seed << 32U | number) ^ sizes) & sum_mask) << 32U) | number;
}

void reseed_ids(state& state, std::uint32_t id_seed) noexcept {
    if (state.decisions > state.original_decisions) {
        state.original_seed = state.id_seed;
        state.original_decisions = state.decisions;
    }
    state.id_seed = id_seed;
}

result<void> check_record(const state& state, const decision& decision) {
    switch (judge(state, decision)) {
        case record_fault::none:
            break;
        case record_fault::foreign:
            return fail(status::state,
                        "this state did not make the decision, or the decision was changed since; record the "
                        "unchanged decision on the state that made it");
        case record_fault::repeated:
            return fail(status::state, "the decision, or a later one of this state, was recorded already");
    }
    return {};
}

void record_applied(const policy& policy, state& state, decision& decision, std::int64_t now_ms) {
    if (!settle(state, decision)) return;
    now_ms = sane_time(now_ms);
    state.newest_ms = std::max(state.newest_ms, now_ms);
    if (decision.origin == origin::executor) {
        if (decision.event == event::activated) state.last_active_ms = whole_seconds_ms(now_ms);
    } else {
        set_condition(state.conditions, condition_type::able_to_scale, truth::yes, reason::succeeded_rescale, now_ms);
        store_rescale(policy, state, decision.current_replicas, decision.desired_replicas, now_ms);
        note_zero(policy, state, decision.current_replicas, decision.desired_replicas, policy.scaling.hpa_min(),
                  now_ms);
    }
    decision.conditions = state.conditions;
}

void record_failed(const policy& policy, state& state, decision& decision, std::int64_t now_ms, std::string_view why) {
    std::string kept(why);  // copied before anything changes, because the allocation may fail
    if (!settle(state, decision)) return;
    state.scale_error = std::move(kept);
    now_ms = sane_time(now_ms);
    state.newest_ms = std::max(state.newest_ms, now_ms);
    if (decision.origin == origin::executor) {
        decision.event = event_of_write(decision.event, false);
        if (manifest::holds(manifest::version_rule::refused_write_is_error, policy.scaling.controller.versions) &&
            !policy.scaling.pause.paused) {
            set_condition(state.conditions, condition_type::ready, truth::no, reason::error_scaling_target, now_ms);
            state.scale_error = refused_write_text(decision, why);  // a later decision has another event
        }
    } else {
        set_condition(state.conditions, condition_type::able_to_scale, truth::no, reason::failed_update_scale, now_ms);
    }
    decision.conditions = state.conditions;
}

}  // namespace gputide::decide
