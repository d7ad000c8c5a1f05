// A decision for other eyes, as one line of JSON.  The words are docs/decision.md's.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "decide/trace/texts.hpp"
#include "decide/trace/trace.hpp"

#include <string>
#include <string_view>
#include <vector>

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

// A recorded trace as steps, in the order in which the decision was made: each with a sentence for a person at 3 a.m. and the
// same as JSON.  The words of the members are in docs/decision.md.

struct step_text {
    std::string_view step;  // "metric"
    std::string text;       // the sentence
};

// Where steps go; either may be null.  The sentence is room that every step uses again.
struct step_sink {
    json_writer* json = nullptr;  // {"step":"metric","metric":"s0-prometheus",...,"text":"..."}, one after the other
    std::vector<step_text>* texts = nullptr;
    std::string sentence = {};
};

void write_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                 const text_details& details = {});

// Parts of it, each for the half that ran.
void write_metric_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                        const text_details& details);
void write_executor_step(step_sink& sink, const policy& policy, const trace& trace);
void write_forecast_step(step_sink& sink, const policy& policy, const trace& trace);
void write_hpa_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace);

}  // namespace gputide::decide
