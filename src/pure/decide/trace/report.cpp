// Decisions as JSON; see report.hpp.
#include "decide/trace/report.hpp"

#include "base/time.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/trace/trace.hpp"

#include <algorithm>
#include <utility>

namespace gputide::decide {

namespace {

void write_time(json_writer& out, std::string_view name, std::int64_t time_ms, std::string& buffer) {
    buffer.clear();
    append_rfc3339_ms(buffer, time_ms);
    out.member(name, buffer);
}

void write_conditions(json_writer& out, const policy& policy, const decision& decision, const text_details& details,
                      std::string& buffer) {
    out.begin_array();
    for (std::size_t i = 0; i < condition_count; ++i) {
        const condition& condition = decision.conditions[i];
        const auto type = static_cast<condition_type>(i);
        if (condition.truth == truth::absent) continue;
        out.begin_object().member("type", condition_name(type)).member("status", truth_name(condition.truth));
        out.member("reason", reason_name(condition.reason));
        out.member("message", condition_message(policy, decision, type, details, buffer));
        write_time(out, "since", condition.since_ms, buffer);
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
    std::string buffer;
    write_conditions(out, policy, decision, details, buffer);
    return out.take();
}

std::string_view write_report(report_buffer& buffer, const policy& policy, const decision& decision, const trace* trace,
                              const text_details& details) {
    json_writer& out = buffer.json;
    out.clear();
    step_sink sink{.json = &out, .sentence = std::move(buffer.sentence)};
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
    buffer.sentence = std::move(sink.sentence);
    return out.text();
}

std::string decision_json(const policy& policy, const decision& decision, const trace* trace,
                          const text_details& details) {
    report_buffer buffer;
    write_report(buffer, policy, decision, trace, details);
    return buffer.json.take();
}

namespace {

// Returns the time at which the oldest counted event leaves the period: the earliest time at which the limit can change.
std::int64_t first_to_leave_ms(std::span<const scale_event> events, std::int32_t period_s, std::int64_t now_ms) {
    const std::int64_t period_ms = std::int64_t{period_s} * 1000;
    std::int64_t first = absent;
    for (const scale_event& event : events) {
        if (event.time_ms <= now_ms - period_ms) continue;
        const std::int64_t leaves_ms = event.time_ms + period_ms;
        first = first == absent ? leaves_ms : std::min(first, leaves_ms);
    }
    return first;
}

}  // namespace

void record_inputs(trace& trace, const observation& observation) {
    std::vector<metric_trace> metrics = std::move(trace.metrics);  // reuses their memory
    std::vector<proposal> proposals = std::move(trace.hpa.proposals);
    trace = decide::trace{};
    metrics.clear();
    proposals.clear();
    trace.metrics = std::move(metrics);
    trace.hpa.proposals = std::move(proposals);
    trace.now_ms = observation.now_ms;
    trace.spec_replicas = observation.spec_replicas;
    trace.startable_replicas = observation.startable_replicas;
    trace.no_capacity = observation.no_capacity;
    trace.status_replicas = status_replicas(observation);
    trace.ready_replicas = ready_replicas(observation);
    trace.scale_readable = observation.scale_readable;
}

void record_readings(trace& trace, const observation& observation, const policy& policy, readings& readings) {
    trace.metrics.clear();
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        const reading& reading = readings.read[i];
        const sample given = i < observation.samples.size() ? observation.samples[i] : sample{};
        const sample& read = reading.from_hpa ? reading.ruled.value : given;
        trace.metrics.push_back({read, reading.ruled.value, reading.ruled.action, reading.from_cache, reading.from_hpa,
                                 readings.passed[i]});
    }
}

void record_executor(trace& trace, const observation& observation, const policy& policy, readings& readings,
                     const executor_trace& executor) {
    if (!policy.scaling.pause.paused) record_readings(trace, observation, policy, readings);
    trace.executor = executor;
}

void record_rate(trace& trace, const manifest::behavior& behavior, const event_history& events, bool upward) {
    const manifest::scaling_rules& rules = upward ? behavior.up : behavior.down;
    const std::int32_t policy = trace.hpa.bound.rate.policy;
    if (policy < 0) return;
    const std::int32_t period_s = rules.policies[static_cast<std::size_t>(policy)].period_s;
    trace.hpa.counted_up = changed_within(events.ups, period_s, events.now_ms);
    trace.hpa.counted_down = changed_within(events.downs, period_s, events.now_ms);
    trace.hpa.budget_frees_ms = first_to_leave_ms(upward ? events.ups : events.downs, period_s, events.now_ms);
}

}  // namespace gputide::decide
