// Decisions as JSON and as lines; see report.hpp.
#include "decide/trace/report.hpp"

#include "base/json_writer.hpp"
#include "base/time.hpp"
#include "decide/trace/steps.hpp"
#include "decide/trace/trace.hpp"

namespace gputide::decide {

namespace {

void write_conditions(json_writer& out, const policy& by, const decision& made, const text_details& details) {
    out.begin_array();
    for (std::size_t i = 0; i < condition_count; ++i) {
        const condition& one = made.conditions[i];
        const auto type = static_cast<condition_type>(i);
        if (one.truth == truth::absent) continue;
        out.begin_object().member("type", condition_name(type)).member("status", truth_name(one.truth));
        out.member("reason", reason_name(one.reason));
        out.member("message", condition_message(by, made, type, details));
        out.member("since", format_rfc3339_ms(one.since_ms)).end_object();
    }
    out.end_array();
}

}  // namespace

std::string conditions_json(const policy& by, const decision& made, const text_details& details) {
    json_writer out;
    write_conditions(out, by, made, details);
    return out.take();
}

std::string decision_json(const policy& by, const decision& made, const trace* why, const text_details& details) {
    json_writer out;
    out.begin_object().member("time", format_rfc3339_ms(made.now_ms));
    out.member("id", made.id).member("name", by.scaling.name).member("namespace", by.scaling.name_space);
    out.member("current_replicas", made.current_replicas).member("desired_replicas", made.desired_replicas);
    if (why != nullptr && why->status_replicas != made.current_replicas)
        out.member("status_replicas", why->status_replicas);
    if (why != nullptr && why->ready_replicas != why->status_replicas)
        out.member("ready_replicas", why->ready_replicas);
    out.member("proposed_replicas", made.proposed_replicas).member("active", made.active);
    out.member("limited_by", limit_name(made.limited_by)).member("source", origin_name(made.origin));
    out.member("next_due_ms", made.next_due_ms - made.now_ms);
    if (made.event != event::none) out.member("event", event_name(made.event));
    if (made.failed_count > 0) out.member("error", pass_error_text(by, made, details));
    out.key("conditions");
    write_conditions(out, by, made, details);
    if (why != nullptr) {
        out.key("trace").begin_array();
        for (const trace_step& one : trace_steps(by, made, *why, details)) out.raw(one.json);
        out.end_array();
    }
    return out.end_object().take();
}

std::string render(const policy& by, const decision& made, const trace& why, const text_details& details) {
    std::string out;
    for (const trace_step& one : trace_steps(by, made, why, details)) out.append(one.text).append("\n");
    for (std::size_t i = 0; i < condition_count; ++i) {
        const condition& one = made.conditions[i];
        const auto type = static_cast<condition_type>(i);
        if (one.truth == truth::absent) continue;
        out.append(condition_name(type)).append("=").append(truth_name(one.truth)).append(" ");
        out.append(reason_name(one.reason)).append(": ");
        out.append(condition_message(by, made, type, details)).append("\n");
    }
    return out;
}

}  // namespace gputide::decide
