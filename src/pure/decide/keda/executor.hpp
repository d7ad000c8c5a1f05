// KEDA's executor half: determines the activity from each trigger's read, and from the activity the replicas 0, idle and the
// minimum.  Ignores metric proposals and max.  Sources: kedacore/keda pkg/scaling/scale_handler.go,
// pkg/scaling/executor/scale_scaledobjects.go.
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

// Returns the activity of all triggers.  A trigger is active if its fallback is active or its raw value is above its
// activation threshold; a trigger with an error is not active. cpu and memory triggers do not count; an object with no other
// trigger and no error is active.  With scalingModifiers only the composite decides, and any error means inactive. `combined`
// is used only with a formula.
activity activity_of(const policy& policy, std::span<const passed_metric> metrics, const composite& combined);

// Input of one run: the target's size, its activity, and the times from which a cooldown counts.
struct executor_input {
    std::int64_t now_ms = 0;
    std::int64_t created_ms = 0;           // creationTimestamp
    std::int64_t last_active_ms = absent;  // absent: never active
    bool replicas_readable = true;
    std::int32_t replicas = 0;  // the target's spec.replicas
    activity triggers;
};

// The rows of the executor's table, from top to bottom; the first matching row decides. act = the minimum if above 0, else 1.
enum class executor_row : std::int32_t {
    p0,           // the size cannot be read
    p1,           // paused
    a1,           // active, at 0 or idle, but paused-scale-out
    a2,           // active, at 0 or idle: write act
    a3,           // active, a trigger has an error
    a4,           // active
    i1,           // an error, and a fallback that may still apply
    i2,           // an error and no fallback
    i3,           // not active: write 0 or idle
    i3_cooldown,  // like i3, but the cooldown has not ended
    i3_gradual,   // like i3, but the HPA first lowers the size to its minimum (opt-in)
    i4,           // like i3, but paused-scale-in
    i5,           // not active, below the minimum: write the minimum
    i6,           // not active, nothing to do
};

const char* executor_row_name(executor_row row) noexcept;  // "A2"
const char* executor_row_text(executor_row row) noexcept;  // "active: leaves 0 or idle"

// The change of a condition; the caller keeps its transition time.
struct condition_change {
    decide::truth truth = decide::truth::absent;  // absent: no change
    decide::reason reason = decide::reason::none;
};

struct executor_outcome {
    executor_row row = executor_row::i6;
    std::optional<std::int32_t> write;
    condition_change ready;
    condition_change active;
    condition_change paused;                    // True or False
    decide::event event = decide::event::none;  // emitted if `write` is applied
    decide::event event_on_failure = decide::event::none;
    bool refresh_now = false;           // A4: sets the last active time to now
    bool refresh_on_apply = false;      // A2: sets the last active time when the write is applied
    std::int64_t cooldown_left_ms = 0;  // i3_cooldown: time until a write is possible, at least 1
};

// Returns the write, if any, the conditions, and the deciding row.
executor_outcome run_executor(const policy& policy, const executor_input& input);

// Returns the write of KEDA's reconciler (not its executor): paused-replicas, if the size differs.
std::optional<std::int32_t> paused_write(const policy& policy, std::int32_t replicas);

// Truncates to whole seconds, the resolution of KEDA's times: 1999 → 1000.
std::int64_t whole_seconds_ms(std::int64_t time_ms) noexcept;

}  // namespace gputide::decide
