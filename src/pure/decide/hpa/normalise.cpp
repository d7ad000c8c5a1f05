// From a raw recommendation to a size, in the order of the HPA's controller; what each step computes is in the file of that name.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (normalizeDesiredReplicas,
// normalizeDesiredReplicasWithBehaviors).
#include "decide/forecast/pass.hpp"
#include "decide/hpa/pass.hpp"
#include "decide/hpa/stabilise.hpp"
#include "decide/hpa/zero.hpp"
#include "decide/rules/confirm.hpp"
#include "decide/rules/group.hpp"
#include "decide/trace/record.hpp"
#include "decide/trace/trace.hpp"

namespace gputide::decide {

namespace {

stabilised stabilise_recommendation(const pass& pass, const behavior_view& rules, std::int32_t raw) {
    stabilised out;
    if (rules.present) {
        out = stabilise(pass.state.recommendations, pass.current, raw, rules.up.window_s, rules.down.window_s,
                        pass.observation.now_ms);
    } else {
        out = stabilise_legacy(pass.state.recommendations, raw, pass.policy.scaling.controller.downscale_window_s,
                               pass.observation.now_ms);
    }
    set(pass, condition_type::able_to_scale, truth::yes, out.changed ? out.why : reason::ready_for_new_scale);
    if (pass.trace != nullptr) {
        pass.trace->hpa.stable = out;
        if (out.changed) pass.trace->hpa.held_since_ms = last_recommended_ms(pass.state.recommendations, out.held_by);
        pass.trace->hpa.up_window_s = rules.up.window_s;
        pass.trace->hpa.down_window_s =
            rules.present ? rules.down.window_s : pass.policy.scaling.controller.downscale_window_s;
    }
    return out;
}

bounded bound_recommendation(const pass& pass, const behavior_view& rules, std::int32_t desired) {
    const event_history events{pass.state.ups, pass.state.downs, pass.observation.now_ms};
    const std::int32_t limit = legacy_up_limit(pass.current, pass.policy.legacy_up_factor, pass.policy.legacy_up_min);
    const bounded out = rules.present ? bound(rules, pass.current, desired, pass.within, events)
                                      : bound_legacy(pass.current, desired, pass.within, limit);
    set(pass, condition_type::scaling_limited, out.replicas != desired ? truth::yes : truth::no, out.why);
    if (pass.trace != nullptr) {
        pass.trace->hpa.bound = out;
        record_rate(*pass.trace, rules, events, desired > pass.current);
    }
    return out;
}

// The last step that changed the number is the one that limits it.
limit limit_of(const pass& pass, const proposal& winner, const stabilised& stable, std::int32_t floored,
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

}  // namespace

limit over_max(const pass& pass) noexcept {
    return pass.within.max < pass.policy.scaling.max ? limit::budget : limit::max;
}

void note_first_sight(const pass& pass) {
    if (pass.state.seen) return;
    pass.state.seen = true;
    pass.state.recommendations.push_back({pass.current, pass.observation.now_ms});
}

void normalise(const pass& pass, std::int32_t raw, const proposal& winner) {
    const confirmation sure =
        needs_confirmation(pass.policy) ? confirm(pass.policy, pass.state, pass.current, raw) : confirmation{raw};
    const std::int32_t grouped =
        sure.replicas == pass.current ? pass.current : whole_groups_up(pass.policy.scaling.extra, sure.replicas);
    const behavior_view rules = behavior_of(pass.policy);
    const stabilised stable = stabilise_recommendation(pass, rules, grouped);
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

}  // namespace gputide::decide
