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

// Sets the condition Fallback by the failures counted so far.  KEDA does so in the call that counts, which in the strict profile
// is the HPA's read, too.
void note_fallback(const policy& policy, state& state, std::int64_t now_ms);

// The HPA's: proposals, combination, stabilisation, rate, bounds, between max(1, min) and max.
void run_hpa_half(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
                  trace* trace);

}  // namespace gputide::decide
