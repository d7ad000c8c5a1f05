// Writes the steps of the HPA half: the winning metric, stabilization, rate limits and bounds.
#include "decide/trace/report.hpp"

namespace gputide::decide {

namespace {

// Returns why the half ended before it combined metrics; "" if it did not.
std::string_view early_end(hpa_path path) {
    switch (path) {
        case hpa_path::unreadable:
            return "the target's size cannot be read";
        case hpa_path::disabled_at_zero:
            return "the target is at 0, scaling by metrics is off";
        case hpa_path::above_max:
            return "more replicas than the maximum: set to it without reading metrics";
        case hpa_path::below_min:
            return "fewer replicas than the minimum: set to it without reading metrics";
        default:
            return {};
    }
}

void write_combination_step(step_sink& sink, const policy& policy, const decision& decision, const trace& trace) {
    const combined& all = trace.hpa.combination;
    step_writer out(sink, "combine");
    out.member("metrics", decision.metric_count).member("failed", all.failed);
    if (!all.valid) {
        return out
            .say("{} of {} failed and the others propose no increase: the size stays", all.failed,
                 counted(decision.metric_count, "metric"))
            .done();
    }
    out.member("winner", trigger_name(policy, decision.winner)).member("replicas", all.replicas);
    out.say("{} has the highest proposal: {}", trigger_name(policy, decision.winner), all.replicas);
    if (all.failed > 0)
        out.say("; {} of {} failed, so no scaling down", all.failed, counted(decision.metric_count, "metric"));
    return out.done();
}

void write_confirmation_step(step_sink& sink, const policy& policy, const trace& trace) {
    const manifest::extra_rules& rules = policy.scaling.extra;
    if (!needs_confirmation(policy)) return;
    const confirmation& confirmation = trace.hpa.confirmed;
    step_writer out(sink, "confirm");
    out.member("agreeing", confirmation.agreeing).member("needed", rules.confirm_k).member("of", rules.confirm_n);
    out.member("held", confirmation.held).member("replicas", confirmation.replicas);
    out.say("{} of the last {} passes have this direction, {} are needed{}", confirmation.agreeing, rules.confirm_n,
            rules.confirm_k, confirmation.held ? ": the size stays" : "");
    out.done();
}

void write_group_step(step_sink& sink, const policy& policy, const trace& trace) {
    if (policy.scaling.extra.group_size <= 1) return;
    step_writer out(sink, "group");
    out.member("group_size", policy.scaling.extra.group_size)
        .member("recommended", trace.hpa.grouped)
        .member("moved_to", trace.hpa.moved);
    out.say("moves by groups of {}: recommendation {}, after limits {}", policy.scaling.extra.group_size,
            trace.hpa.grouped, trace.hpa.moved);
    out.done();
}

void write_stabilization_step(step_sink& sink, const trace& trace) {
    const stabilized& stabilized = trace.hpa.stable;
    step_writer out(sink, "stabilise");
    out.member("recommended", trace.hpa.grouped).member("replicas", stabilized.replicas);
    out.member("up_window_s", trace.hpa.up_window_s).member("down_window_s", trace.hpa.down_window_s);
    if (!stabilized.changed) {
        return out
            .say("stabilization (up {} s, down {} s): {}, nothing held it", trace.hpa.up_window_s,
                 trace.hpa.down_window_s, stabilized.replicas)
            .done();
    }
    const bool up = stabilized.why == reason::scale_up_stabilized;
    const std::int64_t window_ms = std::int64_t{up ? trace.hpa.up_window_s : trace.hpa.down_window_s} * 1000;
    out.member("reason", reason_name(stabilized.why)).member("held_by", stabilized.held_by);
    out.say("stabilization: {} held at {} by a recommendation of {}", trace.hpa.grouped, stabilized.replicas,
            stabilized.held_by);
    if (trace.hpa.held_since_ms == absent) return out.done();
    const std::int64_t age_ms = trace.now_ms - trace.hpa.held_since_ms;
    out.member("held_age_ms", age_ms).member("free_in_ms", window_ms - age_ms);
    out.say(" {} ago; may scale {} in {}", format_duration_ms(age_ms), up ? "up" : "down",
            shown_wait(window_ms - age_ms));
    return out.done();
}

void say_policy(step_writer& out, const policy& policy, const trace& trace) {
    const rate_limit& rate = trace.hpa.bound.rate;
    if (rate.policy < 0 || !policy.scaling.behavior) return;
    const bool up = trace.hpa.floored > trace.spec_replicas;
    const manifest::scaling_rules& rules = up ? policy.scaling.behavior->up : policy.scaling.behavior->down;
    if (static_cast<std::size_t>(rate.policy) >= rules.policies.size()) return;
    const manifest::scaling_policy& rule = rules.policies[static_cast<std::size_t>(rate.policy)];
    const bool pods = rule.type == manifest::policy_type::pods;
    out.member("policy", rate.policy)
        .member("policy_type", pods ? "Pods" : "Percent")
        .member("policy_value", rule.value);
    out.member("period_s", rule.period_s).member("size_at_period_start", rate.period_start);
    out.member("changed_up", trace.hpa.counted_up).member("changed_down", trace.hpa.counted_down);
    out.time_left("free_in_ms", trace.hpa.budget_frees_ms, trace.now_ms);
    out.say("; policy {}: {}{} per {} s from {}, counted +{} -{}", rate.policy, rule.value, pods ? " pods" : " %",
            rule.period_s, rate.period_start, trace.hpa.counted_up, trace.hpa.counted_down);
    if (trace.hpa.budget_frees_ms != absent) {
        out.say(", next leaves in {}", shown_wait(trace.hpa.budget_frees_ms - trace.now_ms));
    }
}

void write_rate_step(step_sink& sink, const policy& policy, const trace& trace) {
    step_writer out(sink, "rate");
    out.member("limit", trace.hpa.bound.rate.replicas).member("replicas", trace.hpa.bound.replicas);
    const bool moves = trace.hpa.floored != trace.spec_replicas;
    if (!moves && policy.scaling.behavior) return out.say("rate: no move, no limit").done();
    out.say("rate: the limit of this pass is {}", trace.hpa.bound.rate.replicas);
    if (!policy.scaling.behavior) out.say(" (the larger of twice the size and 4)");
    say_policy(out, policy, trace);
    return out.done();
}

void write_bounds_step(step_sink& sink, const policy& policy, const trace& trace) {
    step_writer out(sink, "bounds");
    out.member("min", trace.hpa.within.min)
        .member("max", trace.hpa.within.max)
        .member("replicas", trace.hpa.bound.replicas);
    out.member("reason", reason_name(trace.hpa.bound.why));
    out.say("bounds {}..{}: {}", trace.hpa.within.min, trace.hpa.within.max, trace.hpa.bound.replicas);
    if (trace.hpa.affordable < policy.scaling.max) {
        out.member("affordable", trace.hpa.affordable).say(" (the budget pays for {})", trace.hpa.affordable);
    }
    return out.done();
}

}  // namespace

void write_hpa_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace) {
    if (trace.hpa.path == hpa_path::not_run) return;
    if (const std::string_view why = early_end(trace.hpa.path); !why.empty()) {
        step_writer out(sink, "hpa");
        out.member("min", trace.hpa.within.min).member("max", trace.hpa.within.max).say("HPA: {}", why);
        out.done();
        return write_forecast_step(sink, policy, trace);
    }
    write_combination_step(sink, policy, decision, trace);
    if (trace.hpa.path == hpa_path::no_answer) return write_forecast_step(sink, policy, trace);
    write_confirmation_step(sink, policy, trace);
    write_stabilization_step(sink, trace);
    write_forecast_step(sink, policy, trace);
    write_rate_step(sink, policy, trace);
    write_bounds_step(sink, policy, trace);
    write_group_step(sink, policy, trace);
}

}  // namespace gputide::decide
