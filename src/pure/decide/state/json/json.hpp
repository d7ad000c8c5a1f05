// A state as JSON that people and programs can read and write; the words are docs/decision.md's.  Without order, version or
// checksum: what survives a restart is text.hpp.
//
//   {"kind":"ScaledObject","namespace":"default","name":"web",
//    "created_ms":T,"last_active_ms":T,"last_executor_ms":T,"last_hpa_ms":T,     Unix milliseconds, null where there is none
//    "seen":true,"fallback_active":false,"scaled_to_zero":false,
//    "health":{"s0-prometheus":{"failures":5,"status":"Failing","last":{"state":"ok","value":42.5,"time_ms":T},
//                               "hpa_read":{"time_ms":T,"value_milli":42500,"active":true,"error":false,"fallback":false}}},
//    "history":[{"replicas":4,"time_ms":T}],
//    "up_events":[{"change":7,"time_ms":T,"outdated":false}],"down_events":[],
//    "conditions":[{"type":"AbleToScale","status":"True","reason":"ReadyForNewScale","since_ms":T}],
//    "confirmations":[1,-1],"decisions":40,"recorded":38,
//    "verdict":{"time_ms":T,"proposed_replicas":9,"limited_by":"stabilized","winner":"s0-prometheus"},
//    "forecast":{"state":"on",...}}                                          what it says; it is not read, and starts afresh
#pragma once

#include "base/result.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <string>
#include <string_view>

namespace gputide::decide {

std::string describe_state(const policy& policy, const state& state);

// Every member may be left out and is then as in a fresh state; "seen" is true where a history is given.  Where kind, namespace or
// name is given it must be the policy's.  A metric of the policy that "health" does not name starts afresh.
// status::state for what is no such text: an unknown member or metric, a wrong type, a word or number that cannot be, more than
// the lists hold.  `where` is the member's path.  At most limits::state_bytes.
result<state> read_state(const policy& policy, std::string_view json);

}  // namespace gputide::decide
