// KEDA's half of a tick: from samples to at most one write of 0, idle, 1 or the minimum. executor.cpp has the table.
// kedacore/keda pkg/scaling/scale_handler.go and pkg/scaling/executor/scale_scaledobjects.go.
#include "decide/decision.hpp"
#include "decide/keda/executor.hpp"
#include "decide/readings.hpp"
#include "decide/trace/trace.hpp"

namespace gputide::decide {

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

void note_fallback(const policy& policy, state& state, std::int64_t now_ms) {
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
