// The two halves of a tick.  decide.cpp runs those that are due; each updates the state and writes its part of the decision.
// `readings` are the tick's: what one half has read need not be read again.
#pragma once

#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

enum class counting : std::int32_t;
struct readings;
struct trace;

// KEDA's: failures, fallback, activity, then the executor's table.  True: it wants a write, which is the tick's decision.
// count: off where a peer called for it between two polls, so that failureThreshold goes on counting polls.
bool run_executor_half(const policy& policy, state& state, const observation& observation, counting count,
                       readings& readings, decision& out, trace* trace);

// The HPA's: proposals, combination, stabilisation, rate, bounds, between max(1, min) and max.
void run_hpa_half(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
                  trace* trace);

}  // namespace gputide::decide
