// A decision for other eyes: one line of JSON for programs, lines for people.  The words are docs/decision.md's.
#pragma once

#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "decide/trace/texts.hpp"

#include <string>

namespace gputide::decide {

struct trace;

// {"time":"2026-11-21T10:00:00.000Z","id":4299,"name":"my-gpu-workload","namespace":"default","current_replicas":3,
//  "desired_replicas":6,"proposed_replicas":9,"active":true,"limited_by":"scale_up_limit","source":"hpa",
//  "next_due_ms":15000,"conditions":[{"type","status","reason","message","since"}],"trace":[...]}
// next_due_ms is counted from `time`.  Where there is one: "event", and "error" with the text of the pass.  Without a trace
// its member is left out.
std::string decision_json(const policy& by, const decision& made, const trace* why = nullptr,
                          const text_details& details = {});

// The conditions alone, as the JSON array above.
std::string conditions_json(const policy& by, const decision& made, const text_details& details = {});

// One line per step, then the conditions; each ends with a newline.
std::string render(const policy& by, const decision& made, const trace& why, const text_details& details = {});

}  // namespace gputide::decide
