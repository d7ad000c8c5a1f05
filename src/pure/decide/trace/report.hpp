// A decision as one line of JSON, and its trace as steps, each with a sentence. docs/decision.md lists the names.
#pragma once

#include "base/format_text.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/trace/texts.hpp"
#include "decide/trace/trace.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
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

// Writes one step: members to the JSON, the sentence to both forms.
class step_writer {
  public:
    step_writer(step_sink& sink, std::string_view step) : sink_(sink), step_(step) {
        sink_.sentence.clear();
        if (sink_.json != nullptr) sink_.json->begin_object().member("step", step);
    }
    step_writer(const step_writer&) = delete;
    step_writer& operator=(const step_writer&) = delete;

    template <class Value>
    step_writer& member(std::string_view name, const Value& value) {
        if (sink_.json != nullptr) sink_.json->member(name, value);
        return *this;
    }
    // Writes the time left; leaves the member out if the time is absent.
    step_writer& time_left(std::string_view name, std::int64_t until_ms, std::int64_t now_ms) {
        return until_ms == absent ? *this : member(name, until_ms - now_ms);
    }
    // Adds to the sentence: say(" for {}", name).
    template <class... Values>
    step_writer& say(std::type_identity_t<text_pattern<sizeof...(Values)>> pattern, const Values&... values) {
        append_text(sink_.sentence, pattern.get(), {text_value(values)...});
        return *this;
    }

    void done() {
        if (sink_.json != nullptr) sink_.json->member("text", sink_.sentence).end_object();
        if (sink_.texts != nullptr) sink_.texts->push_back({step_, sink_.sentence});
    }

  private:
    step_sink& sink_;
    std::string_view step_;  // a literal
};

// Formats a number for a sentence: 42.5, 0.667, 1e+21; rounded to thousandths, without trailing zeros.
inline std::string shown(double value) {
    if (std::abs(value) < 1e15) value = std::round(value * 1000.0) / 1000.0;
    return shortest(value + 0.0);
}

// Formats a waiting time such as "112 s" in the units of format_duration_ms, rounded up to whole seconds.
inline std::string shown_wait(std::int64_t wait_ms) { return format_duration_ms((wait_ms + 999) / 1000 * 1000); }

inline std::string counted(std::int32_t count, std::string_view name) {
    std::string out = std::to_string(count).append(" ").append(name);
    if (count != 1) out += 's';
    return out;
}

}  // namespace gputide::decide
