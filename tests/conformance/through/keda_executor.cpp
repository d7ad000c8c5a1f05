// keda-executor, kinds executor and sequence: KEDA's half of a decision, in the strict profile.  Only its own writes count here; what
// the HPA half would do in the same tick is left out.
#include "gputide/gputide.h"
#include "through/manifests.hpp"

namespace conformance::keda_executor {
namespace {

constexpr std::int64_t epoch_ms = 1'700'000'000'000;

std::int64_t ms_at(const json& seconds) { return epoch_ms + seconds.get<std::int64_t>() * 1000; }

// Two triggers: the first is active or not, the second in error or not.  An error that is left over after fallback is one that the
// fallback cannot mend: a Value target with no ready pod to divide by.
json manifest_of(const json& spec, const json& annotations = json::object()) {
    json whole = spec;
    whole["pollingInterval"] = 1;
    for (int i = 0; i < 2; ++i)
        whole["triggers"].push_back({{"type", "values"}, {"metricType", "Value"}, {"metadata", {{"threshold", "1"}}}});
    return scaled_object_of(whole, annotations);
}

json seen_at(std::int64_t now_ms, const json& replicas, const json& input) {
    const json first = {{"value", input.at("isActive").get<bool>() ? 1.0 : 0.0}};
    const json second = input.at("isError").get<bool>() ? failed_sample() : json{{"value", 0.0}};
    return {{"now_ms", now_ms},
            {"current_replicas", replicas},
            {"flags", GPUTIDE_OBSERVED_READY},
            {"samples", {first, second}}};
}

json condition_in(const json& conditions, const char* type) {
    for (const json& condition : conditions) {
        if (condition.at("type") == type)
            return {{"status", condition.at("status")}, {"reason", condition.value("reason", "")}};
    }
    return {};
}

bool is_paused(const json& conditions) {
    const json paused = condition_in(conditions, "Paused");
    return paused.is_object() && paused.at("status") == "True";
}

// Returns what the executor writes; null for nothing.  A paused count is the reconciler's write, not the executor's.
json executor_write(const json& report) {
    const json& desired = report.at("desired_replicas");
    const bool writes = report.at("source") == "executor" && desired != report.at("current_replicas");
    return writes && !is_paused(report.at("conditions")) ? desired : json();
}

// ---- one decision -----------------------------------------------------------------------------------------------------
json past_of(const json& state) {
    json out = {{"created_ms", epoch_ms - state.value("createdAgeSeconds", std::int64_t{0}) * 1000}};
    if (has(state, "lastActiveAgeSeconds"))
        out["last_active_ms"] = epoch_ms - state.at("lastActiveAgeSeconds").get<std::int64_t>() * 1000;
    return out;
}

json conditions_json(const json& conditions) {
    json out = json::object();
    for (const char* type : {"Ready", "Active", "Paused"}) {
        const json object = condition_in(conditions, type);
        if (!object.is_null() && (std::string_view(type) != "Paused" || is_paused(conditions))) out[type] = object;
    }
    return out;
}

// KEDA's word for what came of the decision; null for nothing.
json event_json(const json& decided, c_api& library) {
    const json& event = decided.at("decision").at("event");
    if (event == GPUTIDE_NO_SCALE_EVENT) return {};
    return library.result({{"call", "event.name"}, {"event", event}}).at("name");
}

differences check_executor(const json& test_case, const json&, c_api& library) {
    const json past = past_of(test_case.at("state"));
    json annotations = test_case.value("annotations", json::object());
    annotations["gputide.io/keda-version"] = test_case.value("keda_version", "2.20");
    json seen = seen_at(epoch_ms, test_case.at("state").at("currentReplicas"), test_case.at("input"));
    if (test_case.at("state").value("readFails", false))
        seen["flags"] = GPUTIDE_OBSERVED_READY | GPUTIDE_SCALE_UNREADABLE;
    json calls = {open_policy_call(manifest_of(test_case.at("spec"), annotations), GPUTIDE_STRICT),
                  load_state_call(past), decide_call(seen, "decision")};
    json decided = library.last_result(calls);
    const json write = executor_write(report_of(decided));
    if (!write.is_null()) {
        calls.push_back(record_call("decision", epoch_ms, !test_case.at("state").value("writeFails", false)));
        decided = worked(library.last_result(calls));
    }
    calls.push_back(describe_state_call());
    const json state = described_state(library.last_result(calls));
    const json actual = {{"write_replicas", write},
                         {"conditions", conditions_json(state.at("conditions"))},
                         {"last_active_updated", state.at("last_active_ms") != past.value("last_active_ms", json())},
                         {"event", event_json(decided, library)}};
    differences out;
    for (const auto& [name, value] : actual.items()) expect_equal(out, name, test_case.at("expect").at(name), value);
    return out;
}

// ---- sequences ------------------------------------------------------------------------------------------------------
differences check_sequence(const json& test_case, const json&, c_api& library) {
    json calls = {open_policy_call(manifest_of(test_case.at("spec")), GPUTIDE_STRICT), new_state_call(epoch_ms)};
    json replicas = test_case.at("initial_replicas");
    differences out;
    const json& steps = test_case.at("steps");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::int64_t now_ms = ms_at(steps[i].at("t"));
        if (steps[i].contains("external_replicas")) replicas = steps[i].at("external_replicas");
        const std::string name = "step " + std::to_string(i);
        calls.push_back(decide_call(seen_at(now_ms, replicas, steps[i]), name));
        const json report = report_of(library.last_result(calls));
        if (const json write = executor_write(report); !write.is_null()) {
            replicas = write;
            calls.push_back(record_call(name, now_ms));
        }
        json probe = calls;
        probe.push_back(describe_state_call());
        const json last_active_ms = described_state(library.last_result(probe)).at("last_active_ms");
        const json actual = {
            {"replicas", replicas},
            {"active_reason", condition_in(report.at("conditions"), "Active").at("reason")},
            {"lastActiveTime",
             last_active_ms.is_null() ? json() : json((last_active_ms.get<std::int64_t>() - epoch_ms) / 1000)}};
        expect_equal(out, name, test_case.at("expect").at("steps").at(i), actual);
    }
    return out;
}

// No manifest may say that the minimum is above the maximum, and no C function takes a reason for a text.
reach reach_of_spec(const json& test_case) {
    const json& spec = test_case.at("spec");
    if (spec.value("minReplicaCount", 0) > spec.value("maxReplicaCount", 100)) return reach::none;
    return test_case.at("expect").contains("messages") ? reach::part : reach::whole;
}

const registration executors{"keda-executor", {"executor"}, &check_executor, &reach_of_spec};
const registration sequences{"keda-executor", {"sequence"}, &check_sequence};

}  // namespace
}  // namespace conformance::keda_executor
