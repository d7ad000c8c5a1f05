// Sections 5 and 6 of gputide.h: policy, state, decide.
#include "protocol/call.hpp"

namespace conformance {
namespace {

void open_policy(call& call) {
    const std::string text = call.text("text");
    call.opens(gputide_policy_free, gputide_policy_open, text.data(), static_cast<std::int64_t>(text.size()),
               call.options());
}

void count_metrics(call& call) { call.result["count"] = gputide_policy_metric_count(call.policy()); }

void name_metric(call& call) {
    const char* const name = gputide_policy_metric_name(call.policy(), call.int32("metric"));
    call.result["name"] = name == nullptr ? json() : json_text(name);
}

void describe_policy(call& call) { call.gives_text("json", gputide_policy_describe, call.policy()); }

void new_state(call& call) {
    if (call.opens(gputide_state_free, gputide_state_new, call.policy(), call.integer("created_ms")))
        call.opened().policy_of_state[call.name("as")] = call.name("policy");
}

void save_state(call& call) {
    call.gives_text("text", gputide_state_save, call.policy(), call.handle<const gputide_state>("state"));
}

void describe_state(call& call) {
    call.gives_text("json", gputide_state_describe, call.policy(), call.handle<const gputide_state>("state"));
}

void load_state(call& call) {
    const std::string text = call.text("text");
    if (call.opens(gputide_state_free, gputide_state_load, call.policy(), text.data(),
                   static_cast<std::int64_t>(text.size()), call.uint32("flags")))
        call.opened().policy_of_state[call.name("as")] = call.name("policy");
}

// {"call":"decide","as":"d","state":"s","seen":{…},"report":true}; the name is for state.record.
void decide(call& call) {
    const owned_observation seen(call.object("seen"));
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    const bool reports = call.flag("report");
    if (call.works(gputide_decide, call.policy(), call.handle<gputide_state>("state"), seen.get(), &decision,
                   reports ? &report : nullptr)) {
        call.keep_decision(decision);
        if (reports) call.put_text("report", report);
    }
    gputide_text_free(&report);
}

// {"call":"decide.values","as":"d","state":"s","now_ms":…,"current_replicas":3,"values":[42.5]}
void decide_values(call& call) {
    std::vector<double> values;
    for (const json& value : call.object("values")) values.push_back(real_in(value));
    auto decision = sized<gputide_decision>();
    if (!call.works(gputide_decide_values, call.policy(), call.handle<gputide_state>("state"), call.integer("now_ms"),
                    call.int32("current_replicas"), values.data(), static_cast<std::uint32_t>(values.size()),
                    &decision))
        return;
    call.keep_decision(decision);
}

void record(call& call) {
    gputide_decision& decision = call.named_decision();
    const std::string message = call.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (call.works(gputide_state_record, call.policy(), call.handle<gputide_state>("state"), &decision,
                   call.int32("applied"), call.integer("now_ms")))
        call.result["decision"] = decision_json(decision);
}

void name_limit(call& call) { call.result["name"] = gputide_limit_name(call.int32("limit")); }
void name_condition(call& call) { call.result["name"] = gputide_condition_name(call.int32("condition")); }
void name_reason(call& call) { call.result["name"] = gputide_reason_name(call.int32("reason")); }
void name_event(call& call) { call.result["name"] = gputide_event_name(call.int32("event")); }

void render(call& call) {
    const std::string report = call.text("report");
    call.gives_text("lines", gputide_report_render, report.data(), static_cast<std::int64_t>(report.size()));
}

}  // namespace

std::vector<call_entry> policy_calls() {
    return {{"policy.open", {}, &open_policy},
            {"policy.metric_count", {"policy"}, &count_metrics},
            {"policy.metric_name", {"policy"}, &name_metric},
            {"policy.describe", {"policy"}, &describe_policy},
            {"state.new", {"policy"}, &new_state},
            {"state.save", {"policy", "state"}, &save_state},
            {"state.describe", {"policy", "state"}, &describe_state},
            {"state.load", {"policy"}, &load_state},
            {"decide", {"policy", "state"}, &decide},
            {"decide.values", {"policy", "state"}, &decide_values},
            {"state.record", {"policy", "state", "decision"}, &record},
            {"limit.name", {}, &name_limit},
            {"condition.name", {}, &name_condition},
            {"reason.name", {}, &name_reason},
            {"event.name", {}, &name_event},
            {"report.render", {}, &render}};
}

}  // namespace conformance
