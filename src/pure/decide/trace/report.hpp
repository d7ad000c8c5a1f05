// A decision as one line of JSON, and its trace as steps, each with a sentence. docs/decision.md lists the names.
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
// Writes that JSON. next_due_in_ms counts from `time`. "verdict_age_ms", "event" and "error" (the error of the pass) are left
// out if they do not apply, and "trace" without a trace.
std::string decision_json(const policy& policy, const decision& decision, const trace* trace = nullptr,
                          const text_details& details = {});

// Reused memory for reports.
struct report_buffer {
    json_writer json;
    std::string sentence;
};

// Writes the same JSON into reused memory; the text is valid until the next report.
std::string_view write_report(report_buffer& buffer, const policy& policy, const decision& decision, const trace* trace,
                              const text_details& details = {});

// Writes only the conditions, as the JSON array above.
std::string conditions_json(const policy& policy, const decision& decision, const text_details& details = {});

// ---- a trace as steps, in the order of the decision: each as a sentence and as JSON

struct step_text {
    std::string_view step;  // "metric"
    std::string text;       // the sentence
};

// The destination of steps; both may be null. `sentence` is memory that all steps reuse.
struct step_sink {
    json_writer* json = nullptr;  // {"step":"metric","metric":"s0-prometheus",...,"text":"..."}, one after the other
    std::vector<step_text>* texts = nullptr;
    std::string sentence = {};
};

// Writes all steps.
void write_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                 const text_details& details = {});

// Write one part of the steps each, for the half that ran.
void write_metric_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace,
                        const text_details& details);
void write_executor_step(step_sink& sink, const policy& policy, const trace& trace);
void write_forecast_step(step_sink& sink, const policy& policy, const trace& trace);
void write_hpa_steps(step_sink& sink, const policy& policy, const decision& decision, const trace& trace);

}  // namespace gputide::decide
