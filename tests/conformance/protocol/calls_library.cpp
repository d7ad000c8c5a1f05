// Calls of gputide.h: versions, names, the check of a manifest, quantities; policy, state, decide.
#include "protocol/call.hpp"

#include <cstdint>

namespace conformance {
namespace {

// ---- the library, manifests, quantities
void version(call& request) { request.result["version"] = gputide_version(); }
void abi_version(call& request) { request.result["number"] = gputide_abi_version(); }
void features(call& request) { request.result["features"] = gputide_features(); }
void name_status(call& request) { request.result["name"] = gputide_status_name(request.int32("status")); }
void name_action(call& request) { request.result["name"] = gputide_action_name(request.int32("action")); }
void name_sample_state(call& request) { request.result["name"] = gputide_sample_state_name(request.int32("state")); }
void build_info(call& request) { request.result["json"] = json_text(gputide_build_info()); }

// Findings are written on success and beside the error.
void check_manifest(call& request) {
    const std::string manifest = request.text("manifest");
    gputide_text report{nullptr, 0};
    gputide_text lines{nullptr, 0};
    request.works(gputide_manifest_check, manifest.data(), static_cast<std::int64_t>(manifest.size()),
                  request.options(), &report, &lines);
    if (report.data != nullptr) request.put_text("report", report);
    if (lines.data != nullptr) request.put_text("lines", lines);
    gputide_text_free(&report);
    gputide_text_free(&lines);
}

void quantity(call& request) {
    const std::string text = request.text("text");
    std::int64_t milli = 0;
    if (request.works(gputide_quantity, text.data(), static_cast<std::int64_t>(text.size()), &milli))
        request.result["milli"] = json_integer(milli);
}

// ---- policy, state, decide
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

std::vector<call_entry> library_calls() {
    return {{"version", {}, &version},
            {"abi.version", {}, &abi_version},
            {"features", {}, &features},
            {"status.name", {}, &name_status},
            {"action.name", {}, &name_action},
            {"sample.state_name", {}, &name_sample_state},
            {"build.info", {}, &build_info},
            {"manifest.check", {}, &check_manifest},
            {"quantity", {}, &quantity},
            {"policy.open", {}, &open_policy},
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
