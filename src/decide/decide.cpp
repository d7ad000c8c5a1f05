// One tick: which halves are due, executor first, and when the next one is (design: one tick).
#include "decide/decide.hpp"

#include "base/saturate.hpp"
#include "decide/forecast/pass.hpp"
#include "decide/halves.hpp"
#include "decide/readings.hpp"
#include "decide/saturate.hpp"
#include "decide/state/clock.hpp"
#include "decide/state/conditions.hpp"
#include "decide/state/decision_id.hpp"
#include "decide/state/verdict.hpp"
#include "decide/trace/record.hpp"
#include "decide/trace/trace.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

struct period {
    bool exists = false;
    std::int64_t length_ms = 0;
    std::int64_t last_ms = absent;
};

period executor_period(const policy& policy, const state& state) noexcept {
    return {policy.scaling.kind == config::manifest_kind::scaled_object,
            std::int64_t{policy.scaling.polling_interval_s} * 1000, state.last_executor_ms};
}

// A paused object has no HPA: KEDA deletes it.
period hpa_period(const policy& policy, const state& state) noexcept {
    return {!policy.scaling.pause.paused, policy.scaling.extra.sync_period_ms, state.last_hpa_ms};
}

bool is_due(const period& period, std::int64_t now_ms) noexcept {
    if (!period.exists) return false;
    return period.last_ms == absent || period.length_ms <= 0 || now_ms - period.last_ms >= period.length_ms;
}

std::int64_t due_ms(const period& period, std::int64_t now_ms) noexcept {
    if (!period.exists) return never;
    return period.last_ms == absent ? now_ms
                                    : add_saturating(period.last_ms, std::max<std::int64_t>(period.length_ms, 0));
}

// A creation is always earlier than the first sight of the object: without a time from the caller by the least there is, so
// that initialCooldownPeriod 0 lets an idle workload go to 0 at the first poll, as KEDA does.
void prepare(const policy& policy, state& state, std::int64_t now_ms) {
    if (state.created_ms == absent)
        state.created_ms = std::min(sane_time(policy.scaling.created_ms.value_or(now_ms - 1)), now_ms);
    if (state.health.size() != policy.metrics.size()) state.health.resize(policy.metrics.size());
    if (policy.forecast || !state.forecast.empty()) prepare_forecast(policy, state);
}

// Pausing deletes the HPA, and with it all that the HPA remembers; what comes back later sees the size for the first time.
void forget_hpa(state& state) noexcept {
    state.seen = false;
    state.last_hpa_ms = absent;
    state.recommendations.clear();
    state.ups.clear();
    state.downs.clear();
    state.confirmations.clear();
    state.last_verdict = {};
    forget_shadow(state);
    remove_condition(state.conditions, condition_type::able_to_scale);
    remove_condition(state.conditions, condition_type::scaling_active);
    remove_condition(state.conditions, condition_type::scaling_limited);
}

// conditions is set here as well as at the end: copying it costs less than the zeros it would start with.
decision unchanged(const observation& observation, const state& state) noexcept {
    return {.now_ms = observation.now_ms,
            .current_replicas = observation.spec_replicas,
            .desired_replicas = observation.spec_replicas,
            .proposed_replicas = observation.spec_replicas,
            .limited_by = limit::not_due,
            .origin = origin::hpa,
            .conditions = state.conditions};
}

bool was_active(const policy& policy, const state& state) noexcept {
    const bool keda = policy.scaling.kind == config::manifest_kind::scaled_object;
    const auto type = keda ? condition_type::active : condition_type::scaling_active;
    return condition_of(state.conditions, type).truth == truth::yes;
}

// Where the HPA half moves nothing, what the executor waits for is the better answer.
void run_hpa(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
             trace* trace) {
    const limit executors = out.executor_ran ? out.limited_by : limit::none;
    out.limited_by = executors;
    run_hpa_half(policy, state, observation, readings, out, trace);
    state.last_verdict = verdict_of(out);
    if (executors != limit::none && out.desired_replicas == out.current_replicas) out.limited_by = executors;
}

// Every return gives `out`, so that it is made where the caller wants it and never copied.
decision tick(const policy& policy, state& state, const observation& observation, trace* trace) {
    prepare(policy, state, observation.now_ms);
    const std::int64_t set_back_ms = set_clock(state, observation.now_ms);
    if (trace != nullptr) {
        record_inputs(*trace, observation);
        trace->clock_set_back_ms = set_back_ms;
    }
    decision out = unchanged(observation, state);
    const bool hpa_due = is_due(hpa_period(policy, state), observation.now_ms);
    readings readings(policy.metrics.size());
    bool written = false;
    const period executor = executor_period(policy, state);
    const bool executor_due = is_due(executor, observation.now_ms);
    if (executor_due || (executor.exists && observation.executor_is_called)) {
        if (policy.scaling.pause.paused) forget_hpa(state);
        const counting count = executor_due ? counting::on : counting::off;
        written = run_executor_half(policy, state, observation, count, readings, out, trace);
    }
    if (executor_due) state.last_executor_ms = observation.now_ms;
    if (hpa_due) state.last_hpa_ms = observation.now_ms;  // also where the executor's write takes its place
    if (written) {
        state.last_verdict = {};  // it was about another size
        forget_shadow(state);
    } else if (hpa_due) {
        run_hpa(policy, state, observation, readings, out, trace);
    } else {
        show_verdict(state.last_verdict, observation.now_ms, out);
    }

    out.active = was_active(policy, state);
    out.next_due_ms = std::min(due_ms(executor_period(policy, state), observation.now_ms),
                               due_ms(hpa_period(policy, state), observation.now_ms));
    if (policy.forecast) show_forecast(state, out);
    out.conditions = state.conditions;
    // One that wraps would be less than the recorded one, and the state saved of it refused.
    if (state.decisions < std::numeric_limits<std::uint32_t>::max()) ++state.decisions;
    out.id = id_of(state, out, state.decisions);
    return out;
}

}  // namespace

decision decide(const policy& policy, state& state, const observation& observation, trace* trace) {
    if (observation.now_ms == sane_time(observation.now_ms)) return tick(policy, state, observation, trace);
    decide::observation sane = observation;
    sane.now_ms = sane_time(observation.now_ms);
    return tick(policy, state, sane, trace);
}

}  // namespace gputide::decide
