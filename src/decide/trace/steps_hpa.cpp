// The steps of the HPA half: who won, what recent recommendations hold, what rate and bounds allow.
#include "decide/trace/step_writer.hpp"

#include <algorithm>
#include <limits>

namespace gputide::decide {

namespace {

// Where the half stopped before any metric was combined; "" where it went on.
std::string_view early_end(hpa_path path) {
    switch (path) {
        case hpa_path::unreadable:
            return "the target's size cannot be read";
        case hpa_path::disabled_at_zero:
            return "the target is at 0, scaling by metrics is off";
        case hpa_path::above_max:
            return "more replicas than the maximum: goes to it without reading metrics";
        case hpa_path::below_min:
            return "fewer replicas than the minimum: goes to it without reading metrics";
        default:
            return {};
    }
}

trace_step combination_step(const policy& by, const decision& made, const trace& of) {
    const combined& all = of.hpa.combination;
    step_writer out("combine");
    out.member("metrics", made.metric_count).member("failed", all.failed);
    if (!all.valid) {
        return out
            .say(shown(all.failed), " of ", counted(made.metric_count, "metric"),
                 " failed and the rest does not ask for more: the size stays")
            .take();
    }
    out.member("winner", metric_name(by, made.winner)).member("replicas", all.replicas);
    out.say(metric_name(by, made.winner), " asks for the most: ", shown(all.replicas));
    if (all.failed > 0)
        out.say("; ", shown(all.failed), " of ", counted(made.metric_count, "metric"), " failed, so no scaling down");
    return out.take();
}

void add_confirmation_step(std::vector<trace_step>& to, const policy& by, const trace& of) {
    const config::extra_rules& rules = by.scaling.extra;
    if (!needs_confirmation(by)) return;
    const confirmation& made = of.hpa.confirmed;
    step_writer out("confirm");
    out.member("agreeing", made.agreeing).member("needed", rules.confirm_k).member("of", rules.confirm_n);
    out.member("held", made.held).member("replicas", made.replicas);
    out.say(shown(made.agreeing), " of the last ", shown(rules.confirm_n), " passes point this way, ",
            shown(rules.confirm_k), " are needed", made.held ? ": the size stays" : "");
    to.push_back(out.take());
}

void add_group_step(std::vector<trace_step>& to, const policy& by, const trace& of) {
    if (by.scaling.extra.group_size <= 1) return;
    step_writer out("group");
    out.member("group_size", by.scaling.extra.group_size)
        .member("recommended", of.hpa.grouped)
        .member("moved_to", of.hpa.moved);
    out.say("moves by groups of ", shown(by.scaling.extra.group_size), ": recommendation ", shown(of.hpa.grouped),
            ", after limits ", shown(of.hpa.moved));
    to.push_back(out.take());
}

trace_step stabilisation_step(const trace& of) {
    const stabilised& made = of.hpa.stable;
    step_writer out("stabilise");
    out.member("from", of.hpa.grouped).member("replicas", made.replicas);
    out.member("up_window_s", of.hpa.up_window_s).member("down_window_s", of.hpa.down_window_s);
    if (!made.changed) {
        return out
            .say("stabilisation (up ", shown(of.hpa.up_window_s), " s, down ", shown(of.hpa.down_window_s),
                 " s): ", shown(made.replicas), ", nothing held it")
            .take();
    }
    const bool up = made.why == reason::scale_up_stabilized;
    const std::int64_t window_ms = std::int64_t{up ? of.hpa.up_window_s : of.hpa.down_window_s} * 1000;
    out.member("reason", reason_name(made.why)).member("held_by", made.held_by);
    out.say("stabilisation: ", shown(of.hpa.grouped), " held at ", shown(made.replicas), " by a recommendation of ",
            shown(made.held_by));
    if (of.hpa.held_since_ms == absent) return out.take();
    const std::int64_t age_ms = of.now_ms - of.hpa.held_since_ms;
    out.member("held_age_ms", age_ms).member("free_in_ms", window_ms - age_ms);
    out.say(" ", format_duration_ms(age_ms), " ago; may scale ", up ? "up" : "down", " in ",
            shown_wait(window_ms - age_ms));
    return out.take();
}

void say_policy(step_writer& out, const policy& by, const trace& of) {
    const rate_limit& rate = of.hpa.bound.rate;
    if (rate.policy < 0 || !by.scaling.behavior) return;
    const bool up = of.hpa.stable.replicas > of.spec_replicas;
    const config::scaling_rules& rules = up ? by.scaling.behavior->up : by.scaling.behavior->down;
    if (static_cast<std::size_t>(rate.policy) >= rules.policies.size()) return;
    const config::scaling_policy& one = rules.policies[static_cast<std::size_t>(rate.policy)];
    const bool pods = one.type == config::policy_type::pods;
    out.member("policy", rate.policy)
        .member("policy_type", pods ? "Pods" : "Percent")
        .member("policy_value", one.value);
    out.member("period_s", one.period_s).member("size_at_period_start", rate.period_start);
    out.member("changed_up", of.hpa.counted_up).member("changed_down", of.hpa.counted_down);
    out.time_left("free_in_ms", of.hpa.budget_frees_ms, of.now_ms);
    out.say("; policy ", shown(rate.policy), ": ", shown(one.value), pods ? " pods" : " %", " per ",
            shown(one.period_s), " s from ", shown(rate.period_start), ", counted +", shown(of.hpa.counted_up), " -",
            shown(of.hpa.counted_down));
    if (of.hpa.budget_frees_ms != absent) {
        out.say(", next leaves in ", shown_wait(of.hpa.budget_frees_ms - of.now_ms));
    }
}

trace_step rate_step(const policy& by, const trace& of) {
    step_writer out("rate");
    out.member("limit", of.hpa.bound.rate.replicas).member("replicas", of.hpa.bound.replicas);
    const bool moves = of.hpa.stable.replicas != of.spec_replicas;
    if (!moves && by.scaling.behavior) return out.say("rate: no move, no limit").take();
    out.say("rate: at most one step to ", shown(of.hpa.bound.rate.replicas));
    if (!by.scaling.behavior) out.say(" (twice the size or 4, per pass)");
    say_policy(out, by, of);
    return out.take();
}

trace_step bounds_step(const policy& by, const trace& of) {
    step_writer out("bounds");
    out.member("min", of.hpa.within.min).member("max", of.hpa.within.max).member("replicas", of.hpa.bound.replicas);
    out.member("reason", reason_name(of.hpa.bound.why));
    out.say("bounds ", shown(of.hpa.within.min), "..", shown(of.hpa.within.max), ": ", shown(of.hpa.bound.replicas));
    if (of.hpa.affordable < by.scaling.max) {
        out.member("affordable", of.hpa.affordable).say(" (the budget pays for ", shown(of.hpa.affordable), ")");
    }
    return out.take();
}

}  // namespace

void add_hpa_steps(std::vector<trace_step>& to, const policy& by, const decision& made, const trace& of) {
    if (of.hpa.path == hpa_path::not_run) return;
    if (const std::string_view why = early_end(of.hpa.path); !why.empty()) {
        step_writer out("hpa");
        out.member("min", of.hpa.within.min).member("max", of.hpa.within.max).say("HPA: ", why);
        to.push_back(out.take());
        return;
    }
    to.push_back(combination_step(by, made, of));
    if (of.hpa.path == hpa_path::no_answer) return;
    add_confirmation_step(to, by, of);
    to.push_back(stabilisation_step(of));
    to.push_back(rate_step(by, of));
    to.push_back(bounds_step(by, of));
    add_group_step(to, by, of);
}

}  // namespace gputide::decide
