// A recorded trace as steps, in the order in which the decision was made: each with a sentence for a person at 3 a.m. and the
// same as JSON.  The words of the members are in docs/decision.md.
#pragma once

#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "decide/trace/texts.hpp"
#include "decide/trace/trace.hpp"

#include <string>
#include <vector>

namespace gputide::decide {

struct trace_step {
    std::string json;  // {"step":"metric","trigger":"s0-prometheus",...,"text":"..."}
    std::string text;  // the sentence
};

std::vector<trace_step> trace_steps(const policy& by, const decision& made, const trace& of,
                                    const text_details& details = {});

// Parts of it, each for the half that ran.
void add_metric_steps(std::vector<trace_step>& to, const policy& by, const decision& made, const trace& of,
                      const text_details& details);
void add_executor_steps(std::vector<trace_step>& to, const policy& by, const trace& of);
void add_hpa_steps(std::vector<trace_step>& to, const policy& by, const decision& made, const trace& of);
void add_result_step(std::vector<trace_step>& to, const policy& by, const decision& made, const trace& of);

}  // namespace gputide::decide
