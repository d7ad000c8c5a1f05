// Sections 5 and 6 of gputide.h: policy, state, decide.
#include "door/call.hpp"

namespace conformance {
namespace {

void open_policy(call& one) {
    const std::string text = one.text("text");
    one.opens(gputide_policy_free, gputide_policy_open, text.data(), static_cast<std::int64_t>(text.size()),
              one.options());
}

void count_metrics(call& one) { one.result["count"] = gputide_policy_metric_count(one.policy()); }

void name_metric(call& one) {
    const char* const name = gputide_policy_metric_name(one.policy(), one.int32("metric"));
    one.result["name"] = name == nullptr ? json() : json_text(name);
}

void describe_policy(call& one) { one.gives_text("json", gputide_policy_describe, one.policy()); }

void new_state(call& one) {
    if (one.opens(gputide_state_free, gputide_state_new, one.policy(), one.integer("created_ms")))
        one.opened().policy_of_state[one.name("as")] = one.name("policy");
}

void save_state(call& one) {
    one.gives_text("text", gputide_state_save, one.policy(), one.handle<const gputide_state>("state"));
}

void describe_state(call& one) {
    one.gives_text("json", gputide_state_describe, one.policy(), one.handle<const gputide_state>("state"));
}

void load_state(call& one) {
    const std::string text = one.text("text");
    if (one.opens(gputide_state_free, gputide_state_load, one.policy(), text.data(),
                  static_cast<std::int64_t>(text.size()), one.uint32("flags")))
        one.opened().policy_of_state[one.name("as")] = one.name("policy");
}

// {"call":"decide","as":"d","state":"s","seen":{…},"report":true}; the name is for state.record.
void decide(call& one) {
    const owned_observation seen(one.object("seen"));
    auto decision = sized<gputide_decision>();
    gputide_text report{nullptr, 0};
    const bool reports = one.flag("report");
    if (one.works(gputide_decide, one.policy(), one.handle<gputide_state>("state"), seen.get(), &decision,
                  reports ? &report : nullptr)) {
        one.keep_decision(decision);
        if (reports) one.put_text("report", report);
    }
    gputide_text_free(&report);
}

// {"call":"decide.values","as":"d","state":"s","now_ms":…,"current_replicas":3,"values":[42.5]}
void decide_values(call& one) {
    std::vector<double> values;
    for (const json& value : one.object("values")) values.push_back(real_in(value));
    auto decision = sized<gputide_decision>();
    if (!one.works(gputide_decide_values, one.policy(), one.handle<gputide_state>("state"), one.integer("now_ms"),
                   one.int32("current_replicas"), values.data(), static_cast<std::uint32_t>(values.size()), &decision))
        return;
    one.keep_decision(decision);
}

void record(call& one) {
    gputide_decision& decision = one.named_decision();
    const std::string message = one.text("message");
    if (!message.empty()) decision.message = message.c_str();
    if (one.works(gputide_state_record, one.policy(), one.handle<gputide_state>("state"), &decision,
                  one.int32("applied"), one.integer("now_ms")))
        one.result["decision"] = decision_json(decision);
}

void name_limit(call& one) { one.result["name"] = gputide_limit_name(one.int32("limit")); }
void name_condition(call& one) { one.result["name"] = gputide_condition_name(one.int32("condition")); }
void name_reason(call& one) { one.result["name"] = gputide_reason_name(one.int32("reason")); }
void name_event(call& one) { one.result["name"] = gputide_event_name(one.int32("event")); }

void render(call& one) {
    const std::string report = one.text("report");
    one.gives_text("lines", gputide_report_render, report.data(), static_cast<std::int64_t>(report.size()));
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
