// Writes the steps of the executor half and of the result; steps_metric.cpp and steps_hpa.cpp write those of metrics and of
// the HPA half.
#include "decide/trace/report.hpp"

#include <optional>

namespace gputide::decide {

namespace {

// Writes the start of the cooldown: the last activity, or the object's creation.
void say_cooldown(step_writer& out, const policy& policy, const trace& trace) {
    const executor_trace& executor = trace.executor;
    if (executor.last_active_ms != absent) out.member("last_active_ms", executor.last_active_ms);
    if (executor.outcome.cooldown_left_ms <= 0) return;
    const bool never = executor.last_active_ms == absent;
    out.member("cooldown_left_ms", executor.outcome.cooldown_left_ms);
    out.say("; may go to {} in {}{}", policy.scaling.idle.value_or(policy.scaling.min.value_or(0)),
            shown_wait(executor.outcome.cooldown_left_ms), never ? " (initialCooldownPeriod)" : " (cooldownPeriod)");
}

// Returns the earliest time at which the result can change without new values; nothing if only other values can change it.
std::optional<std::int64_t> changes_at_ms(const decision& decision, const trace& trace) {
    switch (decision.limited_by) {
        case limit::cooldown:
            return trace.now_ms + trace.executor.outcome.cooldown_left_ms;
        case limit::stabilized:
            if (trace.hpa.held_since_ms == absent) return std::nullopt;
            return trace.hpa.held_since_ms + std::int64_t{trace.hpa.stable.why == reason::scale_up_stabilized
                                                              ? trace.hpa.up_window_s
                                                              : trace.hpa.down_window_s} *
                                                 1000;
        case limit::scale_up_limit:
        case limit::scale_down_limit:
            return trace.hpa.budget_frees_ms != absent ? trace.hpa.budget_frees_ms : decision.next_due_ms;
        default:
            return std::nullopt;
    }
}

// Writes that times in the state were ahead of now.
void write_clock_step(step_sink& sink, const trace& trace) {
    if (trace.clock_set_back_ms <= 0) return;
    step_writer out(sink, "clock");
    out.member("ahead_ms", trace.clock_set_back_ms);
    out.say("the clock was set back: times in the state were up to {} ahead of now, and are set to now",
            format_duration_ms(trace.clock_set_back_ms));
    out.done();
}

// Writes the HPA half's last result, between two of its passes.
void write_verdict_step(step_sink& sink, const policy& policy, const decision& decision) {
    if (decision.verdict_age_ms <= 0) return;
    step_writer out(sink, "verdict");
    out.member("age_ms", decision.verdict_age_ms).member("proposed_replicas", decision.proposed_replicas);
    out.say("the HPA half is not due; {} ago it proposed {}", format_duration_ms(decision.verdict_age_ms),
            decision.proposed_replicas);
    if (decision.winner != -1) {
        out.member("winner", trigger_name(policy, decision.winner));
        out.say(" for {}", trigger_name(policy, decision.winner));
    }
    out.done();
}

void write_result_step(step_sink& sink, const policy& policy, const decision& decision, const trace& trace) {
    step_writer out(sink, "result");
    out.member("current_replicas", decision.current_replicas).member("desired_replicas", decision.desired_replicas);
    out.member("limited_by", limit_name(decision.limited_by)).member("source", origin_name(decision.origin));
    const bool moves = decision.desired_replicas != decision.current_replicas;
    out.say("{}{}{}", decision.current_replicas, moves ? " → " : " stays ", decision.desired_replicas);
    out.say(" ({}): {}", origin_name(decision.origin), limit_text(decision.limited_by));
    if (moves) {
        const std::string reason = rescale_reason(policy, decision);
        out.member("reason", reason).say("; {}", reason);
    }
    if (decision.limited_by == limit::no_capacity) {
        out.member("startable_replicas", trace.startable_replicas).member("no_capacity", trace.no_capacity);
        out.say("; {} can start", trace.startable_replicas);
        if (!trace.no_capacity.empty()) out.say(": {}", trace.no_capacity);
    }
    const std::optional<std::int64_t> at = changes_at_ms(decision, trace);
    if (at && *at > trace.now_ms) {
        out.member("may_change_in_ms", *at - trace.now_ms).say("; may change in {}", shown_wait(*at - trace.now_ms));
    }
    out.done();
}

}  // namespace

void write_executor_step(step_sink& sink, const policy& policy, const trace& trace) {
    if (!trace.executor.ran) return;
    const executor_outcome& outcome = trace.executor.outcome;
    step_writer out(sink, "executor");
    out.member("row", executor_row_name(outcome.row)).member("active", trace.executor.triggers.active);
    out.member("error", trace.executor.triggers.error);
    out.say("KEDA's half, row {}: {}", executor_row_name(outcome.row), executor_row_text(outcome.row));
    if (outcome.write) out.member("write", *outcome.write).say("; writes {}", *outcome.write);
    say_cooldown(out, policy, trace);
    out.done();
}

void write_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                 const text_details& details) {
    write_clock_step(sink, trace);
    write_metric_steps(sink, policy, decision, trace, details);
    write_executor_step(sink, policy, trace);
    write_hpa_steps(sink, policy, decision, trace);
    write_verdict_step(sink, policy, decision);
    write_result_step(sink, policy, decision, trace);
}

}  // namespace gputide::decide
