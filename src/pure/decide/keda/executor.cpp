// The executor's table, row by row from top to bottom; the first matching row ends the decision.
// Source: kedacore/keda pkg/scaling/executor/scale_scaledobjects.go (RequestScale and the functions below it).
#include "decide/keda/executor.hpp"

#include "decide/decision.hpp"
#include "decide/readings.hpp"
#include "decide/trace/trace.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

// The object's bounds that the table uses.
struct bounds {
    std::int32_t min = 0;  // minReplicaCount, 0 if absent
    std::optional<std::int32_t> idle;

    explicit bounds(const manifest::scaling& scaling) : min(scaling.min.value_or(0)), idle(scaling.idle) {}
    std::int32_t act() const { return min > 0 ? min : 1; }
    std::int32_t resting() const { return idle.value_or(min); }
};

executor_outcome outcome(executor_row row, truth active, reason why) {
    return {.row = row,
            .ready = {truth::yes, reason::scaled_object_ready},
            .active = {active, why},
            .paused = {truth::no, reason::none}};
}

executor_outcome is_active(executor_row row) { return outcome(row, truth::yes, reason::scaler_active); }
executor_outcome not_active(executor_row row) { return outcome(row, truth::no, reason::scaler_not_active); }

// KEDA returns before it reads the pause annotations: the condition Paused does not change.
executor_outcome unreadable(const policy& policy) {
    executor_outcome out = outcome(executor_row::p0, truth::absent, reason::none);
    if (policy.scaling.pause.paused) out.paused = {};
    out.ready = {truth::no, reason::error_getting_current_replicas};
    return out;
}

executor_outcome paused() {
    executor_outcome out = outcome(executor_row::p1, truth::absent, reason::none);
    out.paused = {truth::yes, reason::scaled_object_paused};
    return out;
}

executor_outcome activate(std::int32_t to) {
    executor_outcome out = is_active(executor_row::a2);
    out.write = to;
    out.refresh_on_apply = true;
    out.event = event::activated;
    out.event_on_failure = event::activation_failed;
    return out;
}

// A3 does not refresh the last active time, so during a lasting partial error the cooldown runs out; the opt-in refreshes it.
executor_outcome active_beside_error(const policy& policy) {
    executor_outcome out = is_active(executor_row::a3);
    out.ready = {truth::unknown, reason::partial_trigger_error};
    out.refresh_now = policy.scaling.extra.refresh_on_partial_error;
    return out;
}

executor_outcome active_and_well() {
    executor_outcome out = is_active(executor_row::a4);
    out.refresh_now = true;
    return out;
}

executor_outcome when_active(const policy& policy, const bounds& bounds, const executor_input& input) {
    const bool resting = (bounds.idle && input.replicas < bounds.min) || input.replicas == 0;
    if (resting && policy.scaling.pause.scale_out) return is_active(executor_row::a1);
    if (resting) return activate(bounds.act());
    return input.triggers.error ? active_beside_error(policy) : active_and_well();
}

// Returns the milliseconds until 0 or idle may be written; 0: now.  Both comparisons are strict: last active at 0 s, cooldown
// 300 s: at 300.000 s it still waits, at 300.001 s it does not.
std::int64_t cooldown_left_ms(const policy& policy, const executor_input& input) {
    const bool never = input.last_active_ms == absent;
    const std::int64_t since = whole_seconds_ms(never ? input.created_ms : input.last_active_ms);
    const std::int64_t period_s = never ? policy.scaling.initial_cooldown_s : policy.scaling.cooldown_s;
    return std::max<std::int64_t>(0, since + period_s * 1000 - input.now_ms + 1);
}

executor_outcome deactivate(const policy& policy, const bounds& bounds, const executor_input& input) {
    if (policy.scaling.pause.scale_in) return not_active(executor_row::i4);
    const std::int64_t left_ms = cooldown_left_ms(policy, input);
    if (left_ms > 0) {
        executor_outcome out = outcome(executor_row::i3_cooldown, truth::no, reason::scaler_cooldown);
        out.cooldown_left_ms = left_ms;
        return out;
    }
    if (policy.scaling.extra.gradual_scale_to_zero && input.replicas > policy.scaling.hpa_min())
        return not_active(executor_row::i3_gradual);
    executor_outcome out = not_active(executor_row::i3);
    out.write = bounds.resting();
    out.event = event::deactivated;
    out.event_on_failure = event::deactivation_failed;
    return out;
}

executor_outcome raise_to_min(std::int32_t min) {
    executor_outcome out = not_active(executor_row::i5);
    out.write = min;
    return out;
}

executor_outcome error_without_fallback() {
    executor_outcome out = not_active(executor_row::i2);
    out.ready = {truth::no, reason::trigger_error};
    return out;
}

executor_outcome when_not_active(const policy& policy, const bounds& bounds, const executor_input& input) {
    const auto& fallback = policy.scaling.fallback;
    if (input.triggers.error && fallback && fallback->replicas != 0) return not_active(executor_row::i1);
    if (input.triggers.error && !fallback) return error_without_fallback();
    const bool can_rest = (bounds.idle && input.replicas > *bounds.idle) || (input.replicas > 0 && bounds.min == 0);
    if (can_rest) return deactivate(policy, bounds, input);
    if (!bounds.idle && input.replicas < bounds.min) return raise_to_min(bounds.min);
    return not_active(executor_row::i6);
}

}  // namespace

executor_outcome run_executor(const policy& policy, const executor_input& input) {
    if (!input.replicas_readable) return unreadable(policy);
    if (policy.scaling.pause.paused) return paused();
    const bounds bounds(policy.scaling);
    const bool active = input.triggers.active || policy.scaling.pause.force_activation;
    return active ? when_active(policy, bounds, input) : when_not_active(policy, bounds, input);
}

std::optional<std::int32_t> paused_write(const policy& policy, std::int32_t replicas) {
    const auto& to = policy.scaling.pause.paused_replicas;
    return policy.scaling.pause.paused && to && *to != replicas ? to : std::nullopt;
}

std::int64_t whole_seconds_ms(std::int64_t time_ms) noexcept {
    const std::int64_t rest = time_ms % 1000;
    return time_ms - (rest < 0 ? rest + 1000 : rest);
}

namespace {

constexpr code_text executor_rows[] = {
    {"P0", "the target's size cannot be read"},
    {"P1", "paused by annotation"},
    {"A1", "active, but paused-scale-out keeps the size"},
    {"A2", "active: leaves 0 or idle"},
    {"A3", "active, but another trigger failed; the last active time is not refreshed"},
    {"A4", "active; the HPA half decides the size"},
    {"I1", "a trigger failed; waits for the fallback"},
    {"I2", "triggers failed and there is no fallback: nothing is scaled"},
    {"I3", "not active and cooled down"},
    {"I3 (cooldown)", "not active, cooling down"},
    {"I3 (gradual)", "not active; the HPA half first scales down to its minimum"},
    {"I4", "not active, but paused-scale-in keeps the size"},
    {"I5", "not active and below the minimum"},
    {"I6", "not active, nothing to do"},
};
static_assert(std::size(executor_rows) == static_cast<std::size_t>(executor_row::i6) + 1);

}  // namespace

const char* executor_row_name(executor_row row) noexcept { return row_of(executor_rows, row).name; }
const char* executor_row_text(executor_row row) noexcept { return row_of(executor_rows, row).text; }

activity activity_of(const policy& policy, std::span<const passed_metric> metrics, const composite& combined) {
    activity out;
    bool only_resources = !metrics.empty();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!policy.metrics[i].decides_activity) continue;
        only_resources = false;
        out.active = out.active || (metrics[i].active && !metrics[i].error);
        out.error = out.error || metrics[i].error;
    }
    if (policy.formula) {
        out.error = out.error || combined.error;
        out.active = !out.error && combined.has_value && combined.active;
    }
    // Only the HPA scales by cpu and memory; these triggers must not scale the object to 0.
    if (only_resources && !out.error) out.active = true;
    return out;
}

// KEDA's half of a tick: from samples to at most one write of 0, idle, 1 or the minimum. executor.cpp has the table.
// kedacore/keda pkg/scaling/scale_handler.go and pkg/scaling/executor/scale_scaledobjects.go.

namespace {

void set_if_present(state& state, condition_type type, const condition_change& change, std::int64_t now_ms) noexcept {
    if (change.truth != truth::absent) set_condition(state.conditions, type, change.truth, change.reason, now_ms);
}

void set_conditions(const policy& policy, state& state, const executor_outcome& outcome, std::int64_t now_ms) {
    set_if_present(state, condition_type::ready, outcome.ready, now_ms);
    set_if_present(state, condition_type::active, outcome.active, now_ms);
    set_if_present(state, condition_type::paused, outcome.paused, now_ms);
    note_fallback(policy, state, now_ms);
}

// Returns the code for limited_by of a row of the table.
limit limit_of(executor_row row) noexcept {
    switch (row) {
        case executor_row::p1:
        case executor_row::a1:
        case executor_row::i4:
            return limit::paused;
        case executor_row::i3_cooldown:
            return limit::cooldown;
        case executor_row::i5:
            return limit::min;
        case executor_row::p0:
        case executor_row::i1:
        case executor_row::i2:
            return limit::no_data;
        default:
            return limit::none;
    }
}

executor_input input_of(const state& state, const observation& observation, const activity& triggers) noexcept {
    executor_input input;
    input.now_ms = observation.now_ms;
    input.created_ms = state.created_ms;
    input.last_active_ms = state.last_active_ms;
    input.replicas_readable = observation.scale_readable;
    input.replicas = observation.spec_replicas;
    input.triggers = triggers;
    return input;
}

// Returns the write: paused-replicas is written by KEDA's reconciler, every other size by the executor.
std::optional<std::int32_t> write_of(const policy& policy, const observation& observation,
                                     const executor_outcome& outcome) {
    return outcome.row == executor_row::p1 ? paused_write(policy, observation.spec_replicas) : outcome.write;
}

}  // namespace

void note_valid_fallback(const policy& policy, state& state, std::int64_t now_ms) {
    const truth fallback = fallback_condition(policy, state.health);
    state.fallback_active = fallback == truth::yes;
    const reason why = state.fallback_active ? reason::fallback_exists : reason::no_fallback_found;
    set_if_present(state, condition_type::fallback, {fallback, why}, now_ms);
}

bool run_executor_half(const policy& policy, state& state, const observation& observation, counting count,
                       readings& readings, decision& out, trace* trace) {
    activity triggers;
    if (!policy.scaling.pause.paused) {  // KEDA's loop does not run: nothing is read and no failure is counted
        read_for_executor(policy, state, observation, count, readings);
        triggers = activity_of(policy, readings.passed.all(), readings.modifiers);
    }
    const executor_input input = input_of(state, observation, triggers);
    const executor_outcome outcome = run_executor(policy, input);
    if (trace != nullptr)
        record_executor(*trace, observation, policy, readings,
                        {true, outcome, triggers, readings.modifiers, input.last_active_ms});

    set_conditions(policy, state, outcome, observation.now_ms);
    if (outcome.refresh_now) state.last_active_ms = whole_seconds_ms(observation.now_ms);
    out.executor_ran = true;
    out.error = triggers.error || !observation.scale_readable;
    out.limited_by = limit_of(outcome.row);
    if (outcome.row != executor_row::p1 && !outcome.write) return false;  // the usual case; returns without a copy
    const std::optional<std::int32_t> write = write_of(policy, observation, outcome);
    if (!write) return false;
    out.origin = origin::executor;
    out.event = outcome.event;
    out.desired_replicas = *write;
    out.proposed_replicas = *write;
    return *write != observation.spec_replicas;
}

}  // namespace gputide::decide
