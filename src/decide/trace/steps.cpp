// The steps of the executor half and of the result; those of metrics and of the HPA half are in files of their own.
#include "decide/trace/steps.hpp"

#include "decide/trace/step_writer.hpp"

#include <optional>

namespace gputide::decide {

namespace {

std::string_view row_text(executor_row row) {
    switch (row) {
        case executor_row::p0:
            return "the target's size cannot be read";
        case executor_row::p1:
            return "paused by annotation";
        case executor_row::a1:
            return "active, but paused-scale-out keeps it where it is";
        case executor_row::a2:
            return "active: leaves 0 or idle";
        case executor_row::a3:
            return "active beside a failed trigger; the last active time is not refreshed";
        case executor_row::a4:
            return "active; the HPA half decides the size";
        case executor_row::i1:
            return "a trigger failed; waits for the fallback";
        case executor_row::i2:
            return "triggers failed and there is no fallback: nothing is scaled";
        case executor_row::i3:
            return "not active and cooled down";
        case executor_row::i3_cooldown:
            return "not active, cooling down";
        case executor_row::i3_gradual:
            return "not active; the HPA half first goes down to its minimum";
        case executor_row::i4:
            return "not active, but paused-scale-in keeps it where it is";
        case executor_row::i5:
            return "not active and below the minimum";
        case executor_row::i6:
            return "not active, nothing to do";
    }
    return "";
}

// What the executor cools down from: the last activity, or the object's creation.
void say_cooldown(step_writer& out, const policy& by, const trace& of) {
    const executor_trace& executor = of.executor;
    if (executor.last_active_ms != absent) out.member("last_active_ms", executor.last_active_ms);
    if (executor.outcome.cooldown_left_ms <= 0) return;
    const bool never = executor.last_active_ms == absent;
    out.member("cooldown_left_ms", executor.outcome.cooldown_left_ms);
    out.say("; may go to ", shown(by.scaling.idle.value_or(by.scaling.min.value_or(0))), " in ",
            shown_wait(executor.outcome.cooldown_left_ms), never ? " (initialCooldownPeriod)" : " (cooldownPeriod)");
}

// The first moment at which waiting alone may change the answer; nothing where only other values can.
std::optional<std::int64_t> changes_at_ms(const decision& made, const trace& of) {
    switch (made.limited_by) {
        case limit::cooldown:
            return of.now_ms + of.executor.outcome.cooldown_left_ms;
        case limit::stabilized:
            if (of.hpa.held_since_ms == absent) return std::nullopt;
            return of.hpa.held_since_ms + std::int64_t{of.hpa.stable.why == reason::scale_up_stabilized
                                                           ? of.hpa.up_window_s
                                                           : of.hpa.down_window_s} *
                                              1000;
        case limit::scale_up_limit:
        case limit::scale_down_limit:
            if (of.hpa.budget_frees_ms != absent) return of.hpa.budget_frees_ms;
            return made.next_due_ms;
        default:
            return std::nullopt;
    }
}

std::string_view limit_text(limit what) {
    switch (what) {
        case limit::none:
            return "nothing limits it";
        case limit::tolerance:
            return "within the tolerance of the target";
        case limit::stabilized:
            return "held by recent recommendations";
        case limit::scale_up_limit:
            return "the rate of scaling up limits it";
        case limit::scale_down_limit:
            return "the rate of scaling down limits it";
        case limit::min:
            return "the minimum limits it";
        case limit::max:
            return "the maximum limits it";
        case limit::cooldown:
            return "cooling down";
        case limit::fallback:
            return "the fallback's size, because a trigger fails";
        case limit::paused:
            return "paused by annotation";
        case limit::not_due:
            return "no half is due";
        case limit::no_data:
            return "missing data forbids a change";
        case limit::budget:
            return "the budget limits it";
    }
    return "";
}

}  // namespace

void add_executor_steps(std::vector<trace_step>& to, const policy& by, const trace& of) {
    if (!of.executor.ran) return;
    const executor_outcome& made = of.executor.outcome;
    step_writer out("executor");
    out.member("row", executor_row_name(made.row)).member("active", of.executor.triggers.active);
    out.member("error", of.executor.triggers.error);
    out.say("executor row ", executor_row_name(made.row), ": ", row_text(made.row));
    if (made.write) out.member("write", *made.write).say("; writes ", shown(*made.write));
    say_cooldown(out, by, of);
    to.push_back(out.take());
}

void add_result_step(std::vector<trace_step>& to, const policy& by, const decision& made, const trace& of) {
    step_writer out("result");
    out.member("current_replicas", made.current_replicas).member("desired_replicas", made.desired_replicas);
    out.member("limited_by", limit_name(made.limited_by)).member("source", origin_name(made.origin));
    const bool moves = made.desired_replicas != made.current_replicas;
    out.say(shown(made.current_replicas), moves ? " → " : " stays ", shown(made.desired_replicas));
    out.say(" (", origin_name(made.origin), "): ", limit_text(made.limited_by));
    if (moves) out.member("reason", rescale_reason(by, made)).say("; ", rescale_reason(by, made));
    const std::optional<std::int64_t> at = changes_at_ms(made, of);
    if (at && *at > of.now_ms) {
        out.member("may_change_in_ms", *at - of.now_ms).say("; may change in ", shown_wait(*at - of.now_ms));
    }
    to.push_back(out.take());
}

std::vector<trace_step> trace_steps(const policy& by, const decision& made, const trace& of,
                                    const text_details& details) {
    std::vector<trace_step> out;
    add_metric_steps(out, by, made, of, details);
    add_executor_steps(out, by, of);
    add_hpa_steps(out, by, made, of);
    add_result_step(out, by, made, of);
    return out;
}

}  // namespace gputide::decide
