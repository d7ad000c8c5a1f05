// A state as text, in two forms with the same members (visit.hpp).  The saved text is one line of JSON with a version and, at
// its end, a checksum.
//
//   {"gputide_state":5,"kind":"ScaledObject","namespace":"default","name":"web",
//    "created":T,"last_active":T,"last_executor":T,"last_hpa":T,            Unix milliseconds, null if unknown
//    "seen":true,"fallback":false,"scaled_to_zero":false,
//    "metrics":[["s0-prometheus",failures,failing,state,status,value,time,null_as_zero,activity,target,
//                [time,value,active,error,fallback]],...],              of the HPA's last read; null if there is none
//    "recommendations":[[replicas,T],...],"ups":[[change,outdated,T],...],"downs":[...],
//    "conditions":[[truth,reason,T],...],"confirmations":[1,-1,...],
//    "verdict":[T,proposed,limited_by,winner,failed_metric,failed_count,metric_count,failure,state],       null if there is none
//    "decisions":[made,recorded,id_seed,original_seed,original_decisions],"spec":[hpa,whole],
//    "forecast":{"subject":N,"need":N,...,"shadow":[replicas,seen],"recommendations":[...],"ups":[...],"downs":[...],
//    "confirmations":[...]},                                       null without a forecast; ... as in forecast/text.hpp
//    "crc32c":"9a71bb4c"}
//
// Members always have this order, without blanks.  Codes are the numbers of decision.hpp and sample.hpp. crc32c covers every
// byte before its comma.
//
// A state belongs to an object: another kind, namespace or name is rejected.  Another number of metrics is rejected unless
// the caller passes other_metrics::matched.  Any other change of the policy is accepted: metrics are matched by name (a new
// metric starts empty, a removed one is dropped), recommendations are raw and stay valid under other windows, scale events
// are dropped without a behavior, confirmations are cut to the new n, and the verdict is dropped if the metrics differ.  A
// forecast of another metric, query or slot is dropped; for another lead see forecast/text.hpp.
#pragma once

#include "base/result.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::decide {

// Writes the saved text.
std::string save_state(const policy& policy, const state& state);

// Treatment of a state with another number of metrics than the policy.
enum class other_metrics : std::int32_t { refused = 0, matched = 1 };

// Reads the saved text, completely or not at all; at most limits::state_bytes.  An error has status::state and a remedy; its
// place is "metrics" only for another number of metrics.
result<state> load_state(const policy& policy, std::string_view text, other_metrics others = other_metrics::refused);

// The other form is JSON for people and programs, with the names of docs/decision.md: members in any order, without version
// or checksum.
//
//   {"kind":"ScaledObject","namespace":"default","name":"web",
//    "created_ms":T,"last_active_ms":T,"last_executor_ms":T,"last_hpa_ms":T,     Unix milliseconds, null if unknown
//    "seen":true,"fallback_active":false,"scaled_to_zero":false,
//    "health":{"s0-prometheus":{"failures":5,"status":"Failing","last":{"state":"ok","value":42.5,"time_ms":T},
//                               "hpa_read":{"time_ms":T,"value_milli":42500,"active":true,"error":false,"fallback":false}}},
//    "history":[{"replicas":4,"time_ms":T}],
//    "up_events":[{"change":7,"time_ms":T,"outdated":false}],"down_events":[],
//    "conditions":[{"type":"AbleToScale","status":"True","reason":"ReadyForNewScale","since_ms":T}],
//    "confirmations":[1,-1],"decisions":40,"recorded":38,
//    "verdict":{"time_ms":T,"proposed_replicas":9,"limited_by":"stabilized","winner":"s0-prometheus"},
//    "forecast":{"state":"on",...}}                                          for display; read_state() ignores it, and the forecast starts fresh

// Writes that JSON.
std::string describe_state(const policy& policy, const state& state);

// Reads that JSON, at most limits::state_bytes.  A missing member has the value of a new state; "seen" is true if a history
// is given. kind, namespace and name must be the policy's if given.  A metric that "health" does not name starts empty.
// Returns status::state for an unknown member or metric, a wrong type, an invalid name or number, or too many items. `where`
// is the path of the member.
result<state> read_state(const policy& policy, std::string_view json);

}  // namespace gputide::decide
