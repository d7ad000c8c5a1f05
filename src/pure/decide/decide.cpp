// One tick: determines which halves are due, runs the executor first, and computes when the next half is due.
#include "decide/decide.hpp"

#include "decide/decision.hpp"
#include "decide/hpa/pass.hpp"
#include "decide/readings.hpp"
#include "decide/saturate.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/trace.hpp"
#include "manifest/versions.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gputide::decide {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

bool has_executor(const policy& policy) noexcept {
    return policy.scaling.kind == manifest::manifest_kind::scaled_object;
}

// Returns when the executor runs next: now if it has not run yet.  Periods and times are bounded, so sums do not overflow.
std::int64_t next_poll_ms(const policy& policy, const state& state, std::int64_t now_ms) noexcept {
    if (!has_executor(policy)) return never;
    const std::int64_t period_ms = std::int64_t{policy.scaling.polling_interval_s} * 1000;
    return state.last_executor_ms == absent ? now_ms : state.last_executor_ms + period_ms;
}

// Returns when the HPA half runs next.  A paused object has no HPA half, because KEDA deletes the HPA.
std::int64_t next_pass_ms(const policy& policy, const state& state, std::int64_t now_ms) noexcept {
    if (policy.scaling.pause.paused) return never;
    return state.last_hpa_ms == absent ? now_ms : state.last_hpa_ms + policy.scaling.extra.sync_period_ms;
}

bool looks_at_new_spec(const policy& policy) noexcept {
    return manifest::holds(manifest::version_rule::looks_at_new_spec, policy.scaling.controller.versions);
}

// A change of the spec drops all records of KEDA's reads; the HPA reacts only to a change of its own spec.
void note_spec(const policy& policy, state& state) noexcept {
    const spec_sums before = std::exchange(state.spec, policy.spec);
    if (before.whole != 0 && before != policy.spec) forget_reads(state.health);
}

// The creation must be earlier than the first observation.  Without a time from the caller it is 1 ms earlier, so that with
// initialCooldownPeriod 0 an idle workload scales to 0 at the first poll, as in KEDA.
void prepare(const policy& policy, state& state, std::size_t metrics, std::int64_t now_ms) {
    if (state.created_ms == absent)
        state.created_ms = std::min(sane_time(policy.scaling.created_ms.value_or(now_ms - 1)), now_ms);
    if (state.health.size() != metrics) state.health.resize(metrics);
    if (policy.forecast || !state.forecast.empty()) prepare_forecast(policy, state);
}

// Pausing deletes the HPA with its history; after a pause the size is observed for the first time again.
void forget_hpa(state& state) noexcept {
    state.seen = false;
    state.last_hpa_ms = absent;
    state.recommendations.clear();
    state.ups.clear();
    state.downs.clear();
    state.confirmations.clear();
    state.last_verdict = {};
    forget_reads(state.health);
    forget_shadow(state);
    remove_condition(state.conditions, condition_type::able_to_scale);
    remove_condition(state.conditions, condition_type::scaling_active);
    remove_condition(state.conditions, condition_type::scaling_limited);
}

decision unchanged(const observation& observation) noexcept {
    decision out(decision::without_conditions{});
    out.now_ms = observation.now_ms;
    out.current_replicas = out.desired_replicas = out.proposed_replicas = observation.spec_replicas;
    out.limited_by = limit::not_due;
    out.origin = origin::hpa;
    return out;
}

// Tells whether the executor's next poll waits for the next pass of the HPA half.  A poll that only reuses values that the HPA
// half has read does: an earlier poll has no new values.
bool waits_for_pass(const policy& policy, const state& state) noexcept {
    if (!policy.takes_hpa_reads) return false;
    if (condition_of(state.conditions, condition_type::scaling_active).truth != truth::yes) return false;
    for (std::size_t i = 0; i < state.health.size(); ++i) {
        if (policy.metrics[i].kind == metric_kind::external && state.health[i].read.time_ms == absent) return false;
    }
    return true;
}

std::int64_t next_due_ms(const policy& policy, const state& state, std::int64_t now_ms) noexcept {
    const std::int64_t poll_ms = next_poll_ms(policy, state, now_ms);
    const std::int64_t pass_ms = next_pass_ms(policy, state, now_ms);
    return poll_ms < pass_ms && !waits_for_pass(policy, state) ? poll_ms : pass_ms;
}

bool was_active(const policy& policy, const state& state) noexcept {
    const auto type = has_executor(policy) ? condition_type::active : condition_type::scaling_active;
    return condition_of(state.conditions, type).truth == truth::yes;
}

// Runs the HPA half.  If it does not change the size, the executor's limit is reported.
void run_hpa(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
             trace* trace) {
    const limit executors = out.executor_ran ? out.limited_by : limit::none;
    out.limited_by = executors;
    run_hpa_half(policy, state, observation, readings, out, trace);
    static_cast<hpa_result&>(state.last_verdict) = out;
    state.last_verdict.time_ms = out.now_ms;
    if (executors != limit::none && out.desired_replicas == out.current_replicas) out.limited_by = executors;
}

// A part of the wanted size has no node, whatever else limits the size from above.
void note_capacity(const observation& observation, decision& out) noexcept {
    if (observation.startable_replicas < 0 || out.desired_replicas <= observation.startable_replicas) return;
    const bool is_from_above = out.limited_by == limit::none || out.limited_by == limit::tolerance ||
                               out.limited_by == limit::max || out.limited_by == limit::budget;
    if (is_from_above) out.limited_by = limit::no_capacity;
}

struct hpa_turn {
    bool is_due = false;
    bool ends_period = false;  // starts a new period; a pass for a changed spec does not
};

// Before Kubernetes 1.37 a new HPA waits for one period, and a changed HPA for its next regular pass.
hpa_turn hpa_turn_of(const policy& policy, state& state, std::int64_t now_ms) noexcept {
    const bool is_new = is_due_for_spec(policy, state);
    note_spec(policy, state);
    const bool is_first = state.last_hpa_ms == absent && !state.seen && !policy.scaling.pause.paused;
    if (is_first && policy.scaling.extra.sync_period_ms > 0 && !looks_at_new_spec(policy)) return {false, true};
    const bool by_period = next_pass_ms(policy, state, now_ms) <= now_ms;
    return {by_period || is_new, by_period};
}

}  // namespace

bool is_due_for_spec(const policy& policy, const state& state) noexcept {
    const bool has_changed = state.spec.hpa != 0 && state.spec.hpa != policy.spec.hpa;
    return has_changed && !policy.scaling.pause.paused && looks_at_new_spec(policy);
}

decision decide(const policy& policy, state& state, const observation& observation, trace* trace) {
    if (observation.now_ms == sane_time(observation.now_ms))
        return decide_at_sane_time(policy, state, observation, trace);
    decide::observation sane = observation;
    sane.now_ms = sane_time(observation.now_ms);
    return decide_at_sane_time(policy, state, sane, trace);
}

// Every return statement returns `out`, so that it is constructed in place (NRVO) and never copied.
decision decide_at_sane_time(const policy& policy, state& state, const observation& observation, trace* trace) {
    readings readings(policy);
    prepare(policy, state, readings.read.size(), observation.now_ms);
    const std::int64_t set_back_ms = set_clock(state, observation.now_ms);
    if (trace != nullptr) {
        record_inputs(*trace, observation);
        trace->clock_set_back_ms = set_back_ms;
    }
    if (!observation.scale_readable) state.scale_error = observation.scale_error;
    decision out = unchanged(observation);
    const hpa_turn hpa = hpa_turn_of(policy, state, observation.now_ms);
    readings.hpa_is_due = hpa.is_due;
    bool written = false;
    const bool executor_due = next_poll_ms(policy, state, observation.now_ms) <= observation.now_ms;
    if (executor_due || (observation.executor_is_called && has_executor(policy))) {
        if (policy.scaling.pause.paused) forget_hpa(state);
        const counting count = executor_due ? counting::on : counting::off;
        written = run_executor_half(policy, state, observation, count, readings, out, trace);
    }
    if (executor_due) state.last_executor_ms = observation.now_ms;
    if (hpa.ends_period) state.last_hpa_ms = observation.now_ms;  // also if the executor overrides the HPA half
    if (written) {
        state.last_verdict = {};  // the result was for another size
        forget_shadow(state);
    } else if (hpa.is_due) {
        run_hpa(policy, state, observation, readings, out, trace);
    } else {
        show_verdict(state.last_verdict, observation.now_ms, out);
    }

    note_capacity(observation, out);
    out.active = was_active(policy, state);
    out.next_due_ms = next_due_ms(policy, state, observation.now_ms);
    if (policy.forecast) show_forecast(state, out);
    out.conditions = state.conditions;
    // The count must not wrap: `decisions` below `recorded` makes a saved state invalid.
    if (state.decisions < std::numeric_limits<std::uint32_t>::max()) ++state.decisions;
    out.id = id_of(state, out, state.decisions);
    return out;
}

}  // namespace gputide::decide
