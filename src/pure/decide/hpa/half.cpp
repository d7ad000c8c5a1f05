// The HPA's half of a tick, in the order of the HPA controller; behavior.hpp, proposals.hpp and rules.hpp have the formulas
// of its steps. kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler,
// normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors).
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/pass.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/readings.hpp"
#include "decide/rules.hpp"
#include "decide/trace/trace.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

void note_path(const pass& pass, hpa_path path) {
    if (pass.trace == nullptr) return;
    pass.trace->hpa.path = path;
    pass.trace->hpa.within = pass.within;
    pass.trace->hpa.affordable = affordable_replicas(pass.policy.scaling.extra);
}

// Returns the code of the limit at the maximum: the policy's max or its budget.
limit over_max(const pass& pass) noexcept {
    if (pass.within.max < max_within_budget(pass.policy.scaling)) return limit::no_capacity;
    return pass.within.max < pass.policy.scaling.max ? limit::budget : limit::max;
}

stabilized stabilize_recommendation(const pass& pass, const manifest::behavior* rules, std::int32_t raw) {
    const std::int32_t up_window_s = rules != nullptr ? rules->up.window_s : 0;
    const std::int32_t down_window_s =
        rules != nullptr ? rules->down.window_s : pass.policy.scaling.controller.downscale_window_s;
    const std::int64_t now_ms = pass.observation.now_ms;
    const stabilized out =
        rules != nullptr ? stabilize(pass.state.recommendations, pass.current, raw, up_window_s, down_window_s, now_ms)
                         : stabilize_legacy(pass.state.recommendations, raw, down_window_s, now_ms);
    set(pass, condition_type::able_to_scale, truth::yes, out.changed ? out.why : reason::ready_for_new_scale);
    if (pass.trace != nullptr) {
        pass.trace->hpa.stable = out;
        if (out.changed) pass.trace->hpa.held_since_ms = last_recommended_ms(pass.state.recommendations, out.held_by);
        pass.trace->hpa.up_window_s = up_window_s;
        pass.trace->hpa.down_window_s = down_window_s;
    }
    return out;
}

bounded bound_without_behavior(const pass& pass, std::int32_t desired) {
    const std::int32_t limit = legacy_up_limit(pass.current, pass.policy.legacy_up_factor, pass.policy.legacy_up_min);
    return bound_legacy(pass.current, desired, pass.within, limit);
}

bounded bound_recommendation(const pass& pass, const manifest::behavior* rules, std::int32_t desired) {
    const event_history events{pass.state.ups, pass.state.downs, pass.observation.now_ms};
    const bounded out = rules != nullptr ? bound(*rules, pass.current, desired, pass.within, events)
                                         : bound_without_behavior(pass, desired);
    set(pass, condition_type::scaling_limited, out.replicas != desired ? truth::yes : truth::no, out.why);
    if (pass.trace != nullptr) {
        pass.trace->hpa.bound = out;
        if (rules != nullptr) record_rate(*pass.trace, *rules, events, desired > pass.current);
    }
    return out;
}

// Returns the code of the last step that changed the size.
limit limit_of(const pass& pass, const proposal& winner, const stabilized& stable, std::int32_t floored,
               const bounded& last, bool held) noexcept {
    if (last.replicas != floored) {
        switch (last.why) {
            case reason::scale_up_limit:
                return limit::scale_up_limit;
            case reason::scale_down_limit:
                return limit::scale_down_limit;
            case reason::too_few_replicas:
                return limit::min;
            case reason::too_many_replicas:
                return over_max(pass);
            default:
                break;
        }
    }
    if (floored != stable.replicas) return limit::forecast;
    if (stable.changed || held || winner.guarded) return limit::stabilized;
    if (winner.from_fallback) return limit::fallback;
    if (winner.held) return limit::no_data;
    if (winner.within_tolerance && stable.replicas == pass.current) return limit::tolerance;
    return limit::none;
}

// Computes the size from the raw recommendation of the metrics: applies confirmation, whole groups, stabilization, the
// forecast's floor, rate limit and bounds.
void normalize(const pass& pass, std::int32_t raw, const proposal& winner) {
    const confirmation sure =
        needs_confirmation(pass.policy) ? confirm(pass.policy, pass.state, pass.current, raw) : confirmation{raw};
    const std::int32_t grouped =
        sure.replicas == pass.current ? pass.current : whole_groups_up(pass.policy.scaling.extra, sure.replicas);
    const manifest::behavior* const rules = behavior_of(pass.policy);
    const stabilized stable = stabilize_recommendation(pass, rules, grouped);
    const std::int32_t floored = pass.forecast != nullptr ? raise_to_floor(pass, stable.replicas) : stable.replicas;
    const bounded last = bound_recommendation(pass, rules, floored);
    std::int32_t desired = move_by_groups(pass.policy.scaling.extra, pass.current, last.replicas, pass.within);
    if (pass.current == 0) desired = raised_from_zero(pass.policy, pass.state, desired, pass.within.min);
    if (pass.trace != nullptr) {
        pass.trace->hpa.confirmed = sure;
        pass.trace->hpa.grouped = grouped;
        pass.trace->hpa.floored = floored;
        pass.trace->hpa.moved = desired;
    }
    finish(pass, desired, limit_of(pass, winner, stable, floored, last, sure.held));
}

// The reasons of ScalingActive, by metric_kind.
constexpr reason failure_reasons[] = {
    reason::failed_get_external_metric,
    reason::failed_get_object_metric,
    reason::failed_get_pods_metric,
    reason::failed_get_resource_metric,
    reason::failed_get_container_resource_metric,
    reason::invalid_metric_source_type,
};
static_assert(std::size(failure_reasons) == static_cast<std::size_t>(metric_kind::unknown) + 1);

reason failure_reason(const pass& pass, std::int32_t metric) noexcept {
    if (metric < 0) return reason::failed_get_external_metric;
    return failure_reasons[static_cast<std::size_t>(pass.policy.metrics[static_cast<std::size_t>(metric)].kind)];
}

void report_failures(const pass& pass, const combined& all, std::span<const proposal> proposals) noexcept {
    pass.decision.metric_count = static_cast<std::int32_t>(proposals.size());
    pass.decision.failed_count = all.failed;
    if (all.failed == 0) return;
    const proposal& first = proposals[static_cast<std::size_t>(all.first_failed)];
    pass.decision.error = true;
    pass.decision.failed_metric = first.metric;
    pass.decision.failure = first.failure;
    pass.decision.failed_state = first.read;
    pass.decision.failed_pod = first.pod;
}

void take_recommendation(const pass& pass, const combined& all, std::span<const proposal> proposals) {
    note_path(pass, hpa_path::computed);
    set(pass, condition_type::scaling_active, truth::yes, reason::valid_metric_found);
    const proposal& winner = proposals[static_cast<std::size_t>(std::max(all.winner, 0))];
    pass.decision.winner = winner.metric;
    pass.decision.proposed_replicas = all.replicas;
    normalize(pass, all.replicas, winner);
}

}  // namespace

void recommend(const pass& pass, std::span<const proposal> proposals) {
    const combined all = combine_proposals(proposals, pass.current);
    report_failures(pass, all, proposals);
    if (pass.trace != nullptr) {
        record_readings(*pass.trace, pass.observation, pass.policy, pass.readings);
        pass.trace->hpa.proposals.assign(proposals.begin(), proposals.end());
        pass.trace->hpa.modifiers = pass.readings.modifiers;
        pass.trace->hpa.combination = all;
    }
    if (all.valid) return take_recommendation(pass, all, proposals);
    note_path(pass, hpa_path::no_answer);
    set(pass, condition_type::scaling_active, truth::no, failure_reason(pass, pass.decision.failed_metric));
    finish(pass, pass.current, limit::no_data);
}

namespace {

// Returns true if the size was determined without metrics.
bool forced_size(const pass& pass) {
    if (pass.current == 0 && !leaves_zero(pass.policy, pass.state, pass.within.min)) {
        note_path(pass, hpa_path::disabled_at_zero);
        note_disabled_at_zero(pass.policy, pass.state);
        set(pass, condition_type::scaling_active, truth::no, reason::scaling_disabled);
        return true;
    }
    if (pass.current > pass.within.max) {
        note_path(pass, hpa_path::above_max);
        pass.decision.proposed_replicas = pass.within.max;
        finish(pass, pass.within.max, over_max(pass));
        return true;
    }
    if (pass.current < pass.within.min && pass.current != 0) {
        note_path(pass, hpa_path::below_min);
        pass.decision.proposed_replicas = pass.within.min;
        finish(pass, pass.within.min, limit::min);
        return true;
    }
    return false;
}

// Stores the first observed size as a recommendation of now, so that a scale-down waits for the whole window.
void note_first_sight(const pass& pass) {
    if (pass.state.seen) return;
    pass.state.seen = true;
    pass.state.recommendations.push_back({pass.current, pass.observation.now_ms});
}

// Reads the metrics and returns their proposals; none if the size is forced.  A forecast also learns from passes without
// proposals.  Not in the strict profile, where each additional HPA read would be counted.
std::span<proposal> read_and_propose(const pass& pass, bool is_forced) {
    const bool strict = is_strict(pass.policy.scaling);
    if (is_forced && (strict || pass.forecast == nullptr)) return {};
    read_for_hpa(pass.policy, pass.state, pass.observation, pass.readings);
    if (is_forced) return {};
    if (strict || pass.policy.takes_hpa_reads) note_fallback(pass.policy, pass.state, pass.observation.now_ms);
    const std::span<proposal> out = pass.readings.proposals.all().first(proposal_count(pass.policy));
    propose_all(pass.policy, pass.observation, pass.readings, out);
    return out;
}

void decide_size(const pass& pass) {
    const bool is_forced = forced_size(pass);
    const std::span<proposal> proposals = read_and_propose(pass, is_forced);
    if (pass.forecast != nullptr) read_load(pass, proposals);
    if (!is_forced) recommend(pass, proposals);
    if (pass.forecast == nullptr) return;
    run_shadow(pass, proposals);
    book_sizes(pass);
}

// Replicas that cannot start are not wanted where the host asks them back, down to the minimum, and never down to 0.
std::int32_t max_within_capacity(const manifest::scaling& scaling, const observation& observation) {
    const std::int32_t max = max_within_budget(scaling);
    if (!observation.asks_back || observation.startable_replicas < 0) return max;
    return std::min(max, std::max({observation.startable_replicas, scaling.hpa_min(), 1}));
}

}  // namespace

void run_hpa_half(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
                  trace* trace) {
    const manifest::scaling& scaling = policy.scaling;
    const pass pass{policy,
                    state,
                    observation,
                    readings,
                    out,
                    trace,
                    observation.spec_replicas,
                    {scaling.hpa_min(), max_within_capacity(scaling, observation)},
                    policy.forecast ? &state.forecast.front() : nullptr};
    out.hpa_ran = true;
    if (!observation.scale_readable) {
        note_path(pass, hpa_path::unreadable);
        set(pass, condition_type::able_to_scale, truth::no, reason::failed_get_scale);
        out.error = true;
        out.limited_by = limit::no_data;
        return;
    }
    set(pass, condition_type::able_to_scale, truth::yes, reason::succeeded_get_scale);
    note_first_sight(pass);
    decide_size(pass);
}

}  // namespace gputide::decide
