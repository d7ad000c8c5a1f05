// KEDA's executor half: activity from each trigger's read, and from activity the replicas 0, idle and the minimum.  Never looks at a
// metric's proposal or at max.  Sources: kedacore/keda pkg/scaling/scale_handler.go, pkg/scaling/executor/scale_scaledobjects.go.
#pragma once

#include "decide/decision.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace gputide::decide {

struct activity {
    bool active = false;
    bool error = false;
};

// Returns the activity of all triggers.  A trigger is active if its fallback is, or if its raw value is above its activation threshold;
// never with an error.  cpu and memory triggers do not count; if there are no others and no error, the object is active.  With
// scalingModifiers the composite alone decides, and any error means inactive.  `combined` is used only with a formula.
activity activity_of(const policy& policy, std::span<const passed_metric> metrics, const composite& combined);

// The facts of one tick: the target's size, its activity, and the times that a cooldown counts from.
struct executor_input {
    std::int64_t now_ms = 0;
    std::int64_t created_ms = 0;           // creationTimestamp
    std::int64_t last_active_ms = absent;  // absent: never active
    bool replicas_readable = true;
    std::int32_t replicas = 0;  // the target's spec.replicas
    activity triggers;
};

// The rows of the executor's table, from top to bottom; the first that matches decides.  act = the minimum if above 0, else 1.
enum class executor_row : std::int32_t {
    p0,           // the size cannot be read
    p1,           // paused
    a1,           // active, at 0 or idle, but paused-scale-out
    a2,           // active, at 0 or idle: write act
    a3,           // active, a trigger has an error
    a4,           // active
    i1,           // an error, and a fallback that may still come
    i2,           // an error and no fallback
    i3,           // not active: write 0 or idle
    i3_cooldown,  // the same, but the cooldown runs
    i3_gradual,   // the same, but the HPA first lowers the size to its minimum (opt-in)
    i4,           // the same, but paused-scale-in
    i5,           // not active, below the minimum: write the minimum
    i6,           // not active, nothing to do
};

const char* executor_row_name(executor_row row) noexcept;  // "A2"

// The change of a condition; the caller keeps its transition time.
struct condition_change {
    decide::truth truth = decide::truth::absent;  // left as it was
    decide::reason reason = decide::reason::none;
};

struct executor_outcome {
    executor_row row = executor_row::i6;
    std::optional<std::int32_t> write;
    condition_change ready;
    condition_change active;
    condition_change paused;                    // yes, or no
    decide::event event = decide::event::none;  // if `write` is applied
    decide::event event_on_failure = decide::event::none;
    bool refresh_now = false;           // A4: the last active time becomes now
    bool refresh_on_apply = false;      // A2: it becomes now after the write
    std::int64_t cooldown_left_ms = 0;  // i3_cooldown: until a write is possible, at least 1
};

// Returns the write, if any, the conditions, and the row that decided.
executor_outcome run_executor(const policy& policy, const executor_input& input);

// Returns the write of KEDA's reconciler, not of its executor: paused-replicas, if the size differs.
std::optional<std::int32_t> paused_write(const policy& policy, std::int32_t replicas);

// Truncates to whole seconds, as KEDA keeps times: 1999 → 1000.
std::int64_t whole_seconds_ms(std::int64_t time_ms) noexcept;

}  // namespace gputide::decide
