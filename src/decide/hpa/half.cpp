// The HPA's half of a tick, in the order of its controller; what each step computes is in the file of that name.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler, normalizeDesiredReplicas,
// normalizeDesiredReplicasWithBehaviors).
#include "decide/halves.hpp"
#include "decide/hpa/bounds.hpp"
#include "decide/hpa/combine.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/hpa/stabilise.hpp"
#include "decide/hpa/zero.hpp"
#include "decide/rules/budget.hpp"
#include "decide/rules/confirm.hpp"
#include "decide/rules/group.hpp"
#include "decide/state/conditions.hpp"
#include "decide/trace/record.hpp"
#include "decide/trace/trace.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

using proposals = scratch<proposal, limits::triggers>;

struct pass {
    const policy& by;
    state& with;
    const observation& seen;
    readings& from;
    decision& out;
    trace* why;
    std::int32_t current;
    replica_bounds within;
};

void set(const pass& in, condition_type type, truth is, reason why) noexcept {
    set_condition(in.with.conditions, type, is, why, in.seen.now_ms);
}

void note_path(const pass& in, hpa_path path) {
    if (in.why == nullptr) return;
    in.why->hpa.path = path;
    in.why->hpa.within = in.within;
    in.why->hpa.affordable = affordable_replicas(in.by.scaling.extra);
}

void finish(const pass& in, std::int32_t desired, limit limited_by) noexcept {
    in.out.desired_replicas = desired;
    in.out.limited_by = limited_by;
}

// Section "first sight": the size counts as a recommendation of now, so that a fall waits the whole window.
void note_first_sight(const pass& in) {
    if (in.with.seen) return;
    in.with.seen = true;
    in.with.recommendations.push_back({in.current, in.seen.now_ms});
}

limit over_max(const pass& in) noexcept { return in.within.max < in.by.scaling.max ? limit::budget : limit::max; }

reason failure_reason(const pass& in, std::int32_t metric) noexcept {
    if (metric < 0) return reason::failed_get_external_metric;
    switch (in.by.metrics[static_cast<std::size_t>(metric)].kind) {
        case metric_kind::external:
            return reason::failed_get_external_metric;
        case metric_kind::object:
            return reason::failed_get_object_metric;
        case metric_kind::pods:
            return reason::failed_get_pods_metric;
        case metric_kind::resource:
            return reason::failed_get_resource_metric;
        case metric_kind::container_resource:
            return reason::failed_get_container_resource_metric;
        case metric_kind::unknown:
            break;
    }
    return reason::invalid_metric_source_type;
}

void report_failures(const pass& in, const combined& all, const proposals& of) noexcept {
    in.out.metric_count = static_cast<std::int32_t>(of.size());
    in.out.failed_count = all.failed;
    if (all.failed == 0) return;
    const proposal& first = of[static_cast<std::size_t>(all.first_failed)];
    in.out.error = true;
    in.out.failed_metric = first.metric;
    in.out.failure = first.failure;
    in.out.failed_state = first.read;
    in.out.failed_pod = first.pod;
}

stabilised stabilise_recommendation(const pass& in, const behavior_view& rules, std::int32_t raw) {
    stabilised out;
    if (rules.present) {
        out =
            stabilise(in.with.recommendations, in.current, raw, rules.up.window_s, rules.down.window_s, in.seen.now_ms);
    } else {
        out = stabilise_legacy(in.with.recommendations, raw, in.by.downscale_window_s, in.seen.now_ms);
    }
    set(in, condition_type::able_to_scale, truth::yes, out.changed ? out.why : reason::ready_for_new_scale);
    if (in.why != nullptr) {
        in.why->hpa.stable = out;
        if (out.changed) in.why->hpa.held_since_ms = last_recommended_ms(in.with.recommendations, out.held_by);
        in.why->hpa.up_window_s = rules.up.window_s;
        in.why->hpa.down_window_s = rules.present ? rules.down.window_s : in.by.downscale_window_s;
    }
    return out;
}

bounded bound_recommendation(const pass& in, const behavior_view& rules, std::int32_t desired) {
    const event_history events{in.with.ups, in.with.downs, in.seen.now_ms};
    const std::int32_t limit = legacy_up_limit(in.current, in.by.legacy_up_factor, in.by.legacy_up_min);
    const bounded out = rules.present ? bound(rules, in.current, desired, in.within, events)
                                      : bound_legacy(in.current, desired, in.within, limit);
    set(in, condition_type::scaling_limited, out.replicas != desired ? truth::yes : truth::no, out.why);
    if (in.why != nullptr) {
        in.why->hpa.bound = out;
        record_rate(*in.why, rules, events, desired > in.current);
    }
    return out;
}

// The last step that changed the number is the one that limits it.
limit limit_of(const pass& in, const proposal& winner, const stabilised& stable, const bounded& last,
               bool held) noexcept {
    if (last.replicas != stable.replicas) {
        switch (last.why) {
            case reason::scale_up_limit:
                return limit::scale_up_limit;
            case reason::scale_down_limit:
                return limit::scale_down_limit;
            case reason::too_few_replicas:
                return limit::min;
            case reason::too_many_replicas:
                return over_max(in);
            default:
                break;
        }
    }
    if (stable.changed || held || winner.guarded) return limit::stabilized;
    if (winner.from_fallback) return limit::fallback;
    if (winner.held) return limit::no_data;
    if (winner.within_tolerance && stable.replicas == in.current) return limit::tolerance;
    return limit::none;
}

void normalise(const pass& in, std::int32_t raw, const proposal& winner) {
    const confirmation sure = needs_confirmation(in.by) ? confirm(in.by, in.with, in.current, raw) : confirmation{raw};
    const std::int32_t grouped =
        sure.replicas == in.current ? in.current : whole_groups_up(in.by.scaling.extra, sure.replicas);
    const behavior_view rules = behavior_of(in.by);
    const stabilised stable = stabilise_recommendation(in, rules, grouped);
    const bounded last = bound_recommendation(in, rules, stable.replicas);
    std::int32_t desired = move_by_groups(in.by.scaling.extra, in.current, last.replicas, in.within);
    if (in.current == 0) desired = raised_from_zero(in.by, in.with, desired, in.within.min);
    if (in.why != nullptr) {
        in.why->hpa.confirmed = sure;
        in.why->hpa.grouped = grouped;
        in.why->hpa.moved = desired;
    }
    finish(in, desired, limit_of(in, winner, stable, last, sure.held));
}

// All metrics, then one recommendation.
void compute(const pass& in) {
    read_for_hpa(in.by, in.with, in.seen, in.from);
    proposals made(proposal_count(in.by));
    propose_all(in.by, in.seen, in.from, made.all());
    const combined all = combine_proposals(made.all(), in.current);
    report_failures(in, all, made);
    if (in.why != nullptr) {
        record_readings(*in.why, in.seen, in.by, in.from);
        in.why->hpa.proposals.assign(made.all().begin(), made.all().end());
        in.why->hpa.modifiers = in.from.modifiers;
        in.why->hpa.combination = all;
    }
    if (!all.valid) {
        note_path(in, hpa_path::no_answer);
        set(in, condition_type::scaling_active, truth::no, failure_reason(in, in.out.failed_metric));
        return finish(in, in.current, limit::no_data);
    }
    note_path(in, hpa_path::computed);
    set(in, condition_type::scaling_active, truth::yes, reason::valid_metric_found);
    const proposal& winner = made[static_cast<std::size_t>(std::max(all.winner, 0))];
    in.out.winner = winner.metric;
    in.out.proposed_replicas = all.replicas;
    normalise(in, all.replicas, winner);
}

void decide_size(const pass& in) {
    if (in.current == 0 && !leaves_zero(in.by, in.with, in.within.min)) {
        note_path(in, hpa_path::disabled_at_zero);
        set(in, condition_type::scaling_active, truth::no, reason::scaling_disabled);
        return;
    }
    if (in.current > in.within.max) {
        note_path(in, hpa_path::above_max);
        in.out.proposed_replicas = in.within.max;
        return finish(in, in.within.max, over_max(in));
    }
    if (in.current < in.within.min && in.current != 0) {
        note_path(in, hpa_path::below_min);
        in.out.proposed_replicas = in.within.min;
        return finish(in, in.within.min, limit::min);
    }
    compute(in);
}

}  // namespace

void run_hpa_half(const policy& by, state& with, const observation& seen, readings& from, decision& out, trace* why) {
    const config::scaling& scaling = by.scaling;
    const pass in{by, with, seen, from, out, why, seen.spec_replicas, {scaling.hpa_min(), max_within_budget(scaling)}};
    out.hpa_ran = true;
    if (!seen.scale_readable) {
        note_path(in, hpa_path::unreadable);
        set(in, condition_type::able_to_scale, truth::no, reason::failed_get_scale);
        out.error = true;
        out.limited_by = limit::no_data;
        return;
    }
    set(in, condition_type::able_to_scale, truth::yes, reason::succeeded_get_scale);
    note_first_sight(in);
    decide_size(in);
}

}  // namespace gputide::decide
