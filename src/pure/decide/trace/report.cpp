// Decisions as JSON; see report.hpp.
#include "decide/trace/report.hpp"

#include "base/time.hpp"
#include "decide/trace/steps.hpp"
#include "decide/trace/trace.hpp"

#include <utility>

namespace gputide::decide {

namespace {

void write_time(json_writer& out, std::string_view name, std::int64_t time_ms, std::string& room) {
    room.clear();
    append_rfc3339_ms(room, time_ms);
    out.member(name, room);
}

void write_conditions(json_writer& out, const policy& policy, const decision& decision, const text_details& details,
                      std::string& room) {
    out.begin_array();
    for (std::size_t i = 0; i < condition_count; ++i) {
        const condition& one = decision.conditions[i];
        const auto type = static_cast<condition_type>(i);
        if (one.truth == truth::absent) continue;
        out.begin_object().member("type", condition_name(type)).member("status", truth_name(one.truth));
        out.member("reason", reason_name(one.reason));
        out.member("message", condition_message(policy, decision, type, details, room));
        write_time(out, "since", one.since_ms, room);
        out.end_object();
    }
    out.end_array();
}

void write_sizes(json_writer& out, const decision& decision, const trace* trace) {
    out.member("current_replicas", decision.current_replicas).member("desired_replicas", decision.desired_replicas);
    if (trace != nullptr && trace->status_replicas != decision.current_replicas)
        out.member("status_replicas", trace->status_replicas);
    if (trace != nullptr && trace->ready_replicas != trace->status_replicas)
        out.member("ready_replicas", trace->ready_replicas);
    out.member("proposed_replicas", decision.proposed_replicas);
    if (decision.verdict_age_ms > 0) out.member("verdict_age_ms", decision.verdict_age_ms);
}

}  // namespace

std::string conditions_json(const policy& policy, const decision& decision, const text_details& details) {
    json_writer out;
    std::string room;
    write_conditions(out, policy, decision, details, room);
    return out.take();
}

std::string_view write_report(report_room& room, const policy& policy, const decision& decision, const trace* trace,
                              const text_details& details) {
    json_writer& out = room.json;
    out.clear();
    step_sink sink{.json = &out, .sentence = std::move(room.sentence)};
    out.begin_object();
    write_time(out, "time", decision.now_ms, sink.sentence);
    out.member("id", decision.id).member("name", policy.scaling.name).member("namespace", policy.scaling.name_space);
    write_sizes(out, decision, trace);
    out.member("active", decision.active).member("limited_by", limit_name(decision.limited_by));
    out.member("source", origin_name(decision.origin));
    out.member("next_due_in_ms", decision.next_due_ms - decision.now_ms);
    if (decision.event != event::none) out.member("event", event_name(decision.event));
    if (decision.failed_count > 0) out.member("error", pass_error_text(policy, decision, details));
    out.key("conditions");
    write_conditions(out, policy, decision, details, sink.sentence);
    if (trace != nullptr) {
        out.key("trace").begin_array();
        write_steps(sink, policy, decision, *trace, details);
        out.end_array();
    }
    out.end_object();
    room.sentence = std::move(sink.sentence);
    return out.text();
}

std::string decision_json(const policy& policy, const decision& decision, const trace* trace,
                          const text_details& details) {
    report_room room;
    write_report(room, policy, decision, trace, details);
    return room.json.take();
}

}  // namespace gputide::decide
