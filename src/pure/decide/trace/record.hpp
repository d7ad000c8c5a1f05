// Filling a trace while a decision is made.  Called only where somebody asked for one; allocates.
#pragma once

#include "decide/policy.hpp"
#include "decide/readings.hpp"
#include "decide/state/state.hpp"
#include "decide/trace/trace.hpp"

namespace gputide::decide {

void record_inputs(trace& trace, const observation& observation);
void record_readings(trace& trace, const observation& observation, const policy& policy, readings& readings);
void record_executor(trace& trace, const observation& observation, const policy& policy, readings& readings,
                     const executor_trace& executor);

// The rate policy that decided, and the events it counted.
void record_rate(trace& trace, const behavior_view& rules, const event_history& events, bool upward);

}  // namespace gputide::decide
