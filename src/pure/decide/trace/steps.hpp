// A recorded trace as steps, in the order in which the decision was made: each with a sentence for a person at 3 a.m. and the
// same as JSON.  The words of the members are in docs/decision.md.
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
