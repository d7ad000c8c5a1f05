// KEDA's half of a tick: from samples to at most one write of 0, idle, 1 or the minimum.
// kedacore/keda pkg/scaling/scale_handler.go and pkg/scaling/executor/scale_scaledobjects.go; the table is executor.cpp's.
#include "decide/halves.hpp"
#include "decide/keda/activity.hpp"
#include "decide/keda/executor.hpp"
#include "decide/readings.hpp"
#include "decide/state/conditions.hpp"
#include "decide/trace/record.hpp"
#include "decide/trace/trace.hpp"

namespace gputide::decide {

namespace {

void set_if_present(state& with, condition_type type, const condition& to, std::int64_t now_ms) noexcept {
    if (to.truth != truth::absent) set_condition(with.conditions, type, to.truth, to.reason, now_ms);
}

void set_conditions(const policy& by, state& with, const executor_outcome& made, std::int64_t now_ms) {
    set_if_present(with, condition_type::ready, made.ready, now_ms);
    set_if_present(with, condition_type::active, made.active, now_ms);
    set_if_present(with, condition_type::paused, made.paused, now_ms);
    const truth fallback = fallback_condition(by, with.health);
    with.fallback_active = fallback == truth::yes;
    const reason why = with.fallback_active ? reason::fallback_exists : reason::no_fallback_found;
    set_if_present(with, condition_type::fallback, {fallback, why}, now_ms);
}

// What the table calls its row, in the words of limited_by.
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
        case executor_row::i1:
        case executor_row::i2:
            return limit::no_data;
        default:
            return limit::none;
    }
}

executor_input input_of(const state& with, const observation& seen, const activity& triggers) noexcept {
    executor_input in;
    in.now_ms = seen.now_ms;
    in.created_ms = with.created_ms;
    in.last_active_ms = with.last_active_ms;
    in.replicas_readable = seen.scale_readable;
    in.replicas = seen.spec_replicas;
    in.triggers = triggers;
    return in;
}

// paused-replicas is the reconciler's write, every other one the executor's.
std::optional<std::int32_t> write_of(const policy& by, const observation& seen, const executor_outcome& made) {
    return made.row == executor_row::p1 ? paused_write(by, seen.spec_replicas) : made.write;
}

}  // namespace

bool run_executor_half(const policy& by, state& with, const observation& seen, readings& from, decision& out,
                       trace* why) {
    activity triggers;
    if (!by.scaling.pause.paused) {  // KEDA's loop stands still: nothing is read, no failure counted
        read_for_executor(by, with, seen, from);
        triggers = activity_of(by, from.passed.all(), from.modifiers);
    }
    const executor_input in = input_of(with, seen, triggers);
    const executor_outcome made = run_executor(by, in);
    if (why != nullptr)
        record_executor(*why, seen, by, from, {true, made, triggers, from.modifiers, in.last_active_ms});

    set_conditions(by, with, made, seen.now_ms);
    if (made.refresh_now) with.last_active_ms = whole_seconds_ms(seen.now_ms);
    out.executor_ran = true;
    out.error = triggers.error || !seen.scale_readable;
    out.limited_by = limit_of(made.row);
    const std::optional<std::int32_t> write = write_of(by, seen, made);
    if (!write) return false;
    out.origin = origin::executor;
    out.event = made.event;
    out.desired_replicas = *write;
    out.proposed_replicas = *write;
    return *write != seen.spec_replicas;
}

}  // namespace gputide::decide
