// Filling a trace while a decision is made.  Called only where somebody asked for one; allocates.
#pragma once

#include "decide/policy.hpp"
#include "decide/readings.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/trace.hpp"

namespace gputide::decide {

void record_inputs(trace& to, const observation& seen);
void record_readings(trace& to, const observation& seen, const policy& by, readings& from);
void record_executor(trace& to, const observation& seen, const policy& by, readings& from, const executor_trace& what);

// The rate policy that decided, and the events it counted.
void record_rate(trace& to, const behavior_view& rules, const event_history& events, bool upward);

}  // namespace gputide::decide
