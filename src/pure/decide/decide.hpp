// One decision.  It has two halves with their own periods: KEDA's executor (activity, 0 <-> 1) and the HPA. A call at one
// time (a tick) runs the halves that are due.
// Pure: no I/O, no clock, no thread, no global.  In steady state nothing is allocated.
#pragma once

#include "base/result.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <string_view>

namespace gputide::decide {

struct trace;  // trace.hpp

// Returns a new state with memory for everything that the policy's windows and periods can hold. created_ms: the object's
// creationTimestamp; `absent`: the time of the first tick.
state make_state(const policy& policy, std::int64_t created_ms = absent);

// Runs the halves that are due at observation.now_ms and updates the state (history, failures, activity). record_applied()
// adds scale events and the last active time of an activation later. `trace` may be null: then nothing is recorded.
decision decide(const policy& policy, state& state, const observation& observation, trace* trace = nullptr);
// The same for a time that sane_time() does not change.
decision decide_at_sane_time(const policy& policy, state& state, const observation& observation, trace* trace);

// Tells whether the HPA half runs in the next tick because the HPA's spec changed. kubernetes/kubernetes
// pkg/controller/podautoscaler/horizontal.go enqueueHPA @v1.37.2.
bool is_due_for_spec(const policy& policy, const state& state) noexcept;

// Returns status::state for a decision that `state` did not make, that was changed since, that was already recorded, or that
// is older than a recorded one. record_applied() and record_failed() then do nothing.
result<void> check_record(const state& state, const decision& decision);

// Returns the event of a write: `wanted` if it was applied, else the matching failure event.
event event_of_write(event wanted, bool is_applied) noexcept;

// Records that decision.desired_replicas was written: stores the scale event, refreshes the last active time of an
// activation, sets SucceededRescale.  Does nothing for a decision without a write.
void record_applied(const policy& policy, state& state, decision& decision, std::int64_t now_ms);

// Records that the write failed (FailedUpdateScale); the history is not changed. why: for the conditions; "": unknown.
void record_failed(const policy& policy, state& state, decision& decision, std::int64_t now_ms,
                   std::string_view why = {});

}  // namespace gputide::decide
