// A state as text that survives a restart: one line of JSON, versioned, with a checksum at its end.
//
//   {"gputide_state":4,"kind":"ScaledObject","namespace":"default","name":"web",
//    "created":T,"last_active":T,"last_executor":T,"last_hpa":T,            Unix milliseconds, null where there is none
//    "seen":true,"fallback":false,"scaled_to_zero":false,
//    "metrics":[["s0-prometheus",failures,failing,state,status,value,time,null_as_zero],...],   and more: activity,target where the
//                                                        peer says them; [time,value,active,error,fallback] of the HPA's last read
//    "recommendations":[[replicas,T],...],"ups":[[change,outdated,T],...],"downs":[...],
//    "conditions":[[truth,reason,T],...],"confirmations":[1,-1,...],
//    "verdict":[T,proposed,limited_by,winner,failed_metric,failed_count,metric_count,failure,state],       null where there is none
//    "decisions":[made,recorded,id_seed,original_seed,original_decisions],"spec":[hpa,whole],
//    "forecast":{"subject":N,"need":N,...,"shadow":[replicas,seen],"recommendations":[...],"ups":[...],"downs":[...],
//    "confirmations":[...]},                                       only with a forecast; ... as in forecast/text.hpp
//    "crc32c":"9a71bb4c"}
//
// Members always come in this order, without blanks; codes are the numbers of decision.hpp, those of sample states in
// visit.hpp.  crc32c is over every byte before its comma.  Later versions may append members before it and raise the number;
// what an older version wrote stays readable for ever (1 had neither verdict nor decisions, 2 no forecast, 3 neither
// spec nor the HPA's reads).
//
// A state belongs to an object: another kind, namespace or name is refused.  Another number of metrics is refused unless the caller has
// them matched.  Any other change of the policy is taken: metrics are matched by name (a new one starts afresh, a removed one is
// dropped), recommendations are raw and stay true under other windows, scale events are dropped where there is no behavior any more,
// confirmations are cut to the new n, and the verdict is dropped where the metrics are others.  Of a forecast of another metric,
// question or slot nothing is kept, of one with another lead what forecast/text.hpp says.
#pragma once

#include "base/result.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::decide {

std::string save_state(const policy& policy, const state& state);

// A state of a policy with another number of metrics.
enum class other_metrics : std::int32_t { refused = 0, matched = 1 };

// Returns status::state with what is wrong and what to do; nothing is half-loaded.  At most limits::state_bytes.  Its place is
// "metrics" only where another number of them is the reason.
result<state> load_state(const policy& policy, std::string_view text, other_metrics others = other_metrics::refused);

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

std::string describe_state(const policy& policy, const state& state);

// Every member may be left out and is then as in a fresh state; "seen" is true where a history is given.  Where kind, namespace or
// name is given it must be the policy's.  A metric of the policy that "health" does not name starts afresh.
// status::state for what is no such text: an unknown member or metric, a wrong type, a word or number that cannot be, more than
// the lists hold.  `where` is the member's path.  At most limits::state_bytes.
result<state> read_state(const policy& policy, std::string_view json);

}  // namespace gputide::decide
