// A decision for other eyes, as one line of JSON.  The words are docs/decision.md's.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "decide/trace/texts.hpp"

#include <string>
#include <string_view>

namespace gputide::decide {

struct trace;

// {"time":"2026-11-21T10:00:00.000Z","id":4299,"name":"my-gpu-workload","namespace":"default","current_replicas":3,
//  "desired_replicas":6,"proposed_replicas":9,"active":true,"limited_by":"scale_up_limit","source":"hpa",
//  "next_due_in_ms":15000,"conditions":[{"type","status","reason","message","since"}],"trace":[...]}
// next_due_in_ms is counted from `time`.  Where there is one: "verdict_age_ms", "event", and "error" with the text of the pass.
// Without a trace its member is left out.
std::string decision_json(const policy& policy, const decision& decision, const trace* trace = nullptr,
                          const text_details& details = {});

// Memory that reports are made in, one after the other.
struct report_room {
    json_writer json;
    std::string sentence;
};

// The same in memory that is used again; the text is good until the next report.
std::string_view write_report(report_room& room, const policy& policy, const decision& decision, const trace* trace,
                              const text_details& details = {});

// The conditions alone, as the JSON array above.
std::string conditions_json(const policy& policy, const decision& decision, const text_details& details = {});

}  // namespace gputide::decide
