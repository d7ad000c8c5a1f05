// keda-fallback, kinds fallback and fallback_sequence: polls of KEDA's half over one pushed trigger, in the strict profile.

#include "gputide/gputide.h"
#include "through/manifests.hpp"

#include <cmath>

namespace conformance::keda_fallback {
namespace {

constexpr std::int64_t epoch_ms = 1'700'000'000'000;
constexpr std::int64_t poll_ms = 30'000;
constexpr const char* metric_name = "s0-values";

// The HPA half never comes due: strict counts a failure in both.
json manifest_of(const json& test_case) {
    const json& target = test_case.at("target");
    json spec = {{"triggers",
                  {{{"type", "values"},
                    {"metricType", target.at("type")},
                    {"metadata", {{"threshold", json(target.at("milli").get<double>() / 1000.0).dump()}}}}}}};
    if (has(test_case, "fallback")) spec["fallback"] = test_case.at("fallback");
    return scaled_object_of(spec, {{"gputide.io/sync-period", "24h"}});
}

json past_of(const json& object) {
    json out = {{"last_hpa_ms", epoch_ms}};
    if (object.contains("health") && object.at("health").contains(object.at("metric").get<std::string>()))
        out["health"][metric_name] = object.at("health").at(object.at("metric").get<std::string>());
    return out;
}

// Without a count of ready pods there is none to divide by.
json seen_of(const json& object, std::int64_t now_ms, const char* value) {
    std::uint32_t flags = GPUTIDE_OBSERVED_READY;
    if (!object.contains("currentReplicas") && !object.contains("readyPods")) flags |= GPUTIDE_SCALE_UNREADABLE;
    const json sample = object.at("error").get<bool>()
                            ? failed_sample()
                            : json{{"value", std::stod(object.at(value).get<std::string>()) / 1000.0}};
    return {{"now_ms", now_ms},
            {"flags", flags},
            {"current_replicas", object.value("currentReplicas", 1)},
            {"ready_replicas", object.value("readyPods", 0)},
            {"samples", {sample}}};
}

// The result of the read: the fallback's number, the value, or null for an error.
json milli_text(const json& step) {
    if (step.at("error").get<bool>()) return {};
    const json& value = step.contains("fallback_value") ? step.at("fallback_value") : step.at("value");
    return std::to_string(std::llround(value.get<double>() * 1000.0));
}

json read_json(const json& step) {
    return {{"error", step.at("error")},
            {"metric_milli", milli_text(step)},
            {"fallback_active", step.value("fallback", false)},
            {"failures", step.value("failures", 0)}};
}

json condition_json(const json& state) {
    for (const json& condition : state.at("conditions")) {
        if (condition.at("type") == "Fallback") return condition.at("status") == "True";
    }
    return {};
}

// If the case says nothing of the metric's health, it is that of a fresh state.
json health_of(const json& expect, const std::string& name) {
    const json fresh = {{"failures", 0}, {"status", "Happy"}};
    return expect.at("health").value(name, fresh);
}

differences check_fallback(const json& test_case, const json&, c_api& library) {
    const json results =
        library.results({open_policy_call(manifest_of(test_case), GPUTIDE_STRICT), load_state_call(past_of(test_case)),
                         decide_call(seen_of(test_case, epoch_ms, "value")), describe_state_call()});
    const json read = read_json(step_in(report_of(results[2]), "metric"));
    const json state = described_state(results[3]);
    const json& expect = test_case.at("expect");
    differences out;
    for (const char* member : {"error", "metric_milli", "fallback_active"})
        expect_equal(out, member, expect.at(member), read.at(member));
    expect_equal(out, "health", health_of(expect, test_case.at("metric")), state.at("health").at(metric_name),
                 {.subset = true});
    expect_equal(out, "fallback_condition", expect.at("fallback_condition"), condition_json(state));
    return out;
}

differences check_sequence(const json& test_case, const json&, c_api& library) {
    json calls = {open_policy_call(manifest_of(test_case), GPUTIDE_STRICT), load_state_call(past_of(test_case))};
    differences out;
    const json& steps = test_case.at("steps");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string name = "step " + std::to_string(i);
        const std::int64_t now_ms = epoch_ms + static_cast<std::int64_t>(i) * poll_ms;
        calls.push_back(decide_call(seen_of(steps[i], now_ms, "value_milli"), name));
        const json read = read_json(step_in(report_of(library.last_result(calls)), "metric"));
        for (const auto& [member, value] : test_case.at("expect").at("steps").at(i).items()) {
            if (read.contains(member)) expect_equal(out, name + ": " + member, value, read.at(member));
        }
    }
    return out;
}

// Formulas, and other metrics' health beside this one's, are looked at inside.
reach reach_of_fallback(const json& test_case) {
    if (test_case.contains("modifiers") || test_case.at("expect").contains("placeholder")) return reach::none;
    for (const auto& [name, health] : test_case.at("health").items()) {
        if (name != test_case.at("metric")) return reach::none;
    }
    return test_case.at("expect").at("health").contains(test_case.at("metric")) ? reach::whole : reach::part;
}

const registration reads{"keda-fallback", {"fallback"}, &check_fallback, &reach_of_fallback};
const registration sequences{"keda-fallback", {"fallback_sequence"}, &check_sequence};

}  // namespace
}  // namespace conformance::keda_fallback

// keda-fallback, kinds formula and formula_valid: scalingModifiers over pushed triggers, in the strict profile.

namespace conformance::keda_formula {
namespace {

constexpr std::int64_t epoch_ms = 1'700'000'000'000;
constexpr std::int64_t poll_ms = 30'000;

json pushed_trigger(const std::string& name) {
    return {{"type", "values"}, {"name", name}, {"metadata", {{"threshold", "1"}}}};
}

json manifest_of(const json& test_case) {
    json spec = {{"triggers", json::array()}};
    for (const auto& [name, value] : test_case.at("variables").items())
        spec["triggers"].push_back(pushed_trigger(name));
    for (const char* member : {"formula", "target", "activationTarget", "metricType"}) {
        if (has(test_case, member)) spec["advanced"]["scalingModifiers"][member] = test_case.at(member);
    }
    if (has(test_case, "fallback")) spec["fallback"] = test_case.at("fallback");
    return scaled_object_of(spec);
}

// A variable without a value is a trigger that fails.
json samples_of(const json& variables) {
    json out = json::array();
    for (const auto& [name, value] : variables.items()) {
        out.push_back(value.is_null() ? failed_sample() : json{{"value", value}});
    }
    return out;
}

// The formula sees a variable as nil once its trigger has failed more often in a row than the fallback waits for.
json calls_of(const json& test_case) {
    json calls = {open_policy_call(manifest_of(test_case), GPUTIDE_STRICT), new_state_call(epoch_ms)};
    const int timeout = has(test_case, "fallback") ? test_case.at("fallback").at("failureThreshold").get<int>() : 0;
    for (int poll = 0; poll <= timeout; ++poll) {
        calls.push_back(decide_call({{"now_ms", epoch_ms + poll * poll_ms},
                                     {"current_replicas", 1},
                                     {"samples", samples_of(test_case.at("variables"))}},
                                    "poll " + std::to_string(poll)));
    }
    return calls;
}

differences check_formula(const json& test_case, const json&, c_api& library) {
    const json results = library.results(calls_of(test_case));
    const json& expect = test_case.at("expect");
    std::string failure = message_of(results[0]);
    json milli;
    if (failure.empty()) {
        const json step = step_in(report_of(results.back()), "formula");
        if (step.contains("value")) {
            milli = std::to_string(std::llround(step.at("value").get<double>() * 1000));
        } else {
            failure = step.at("text");
        }
    }
    differences out;
    expect_equal(out, "error", expect.value("error", false), milli.is_null());
    if (!out.empty() && !failure.empty()) out.push_back("failure: " + failure);
    if (out.empty() && !milli.is_null()) expect_equal(out, "composite_milli", expect.at("composite_milli"), milli);
    if (expect.contains("error_contains"))
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), failure);
    return out;
}

// A pushed value is rounded to thousandths before a formula sees it; values finer than that, composites beyond a double and a nil
// that no fallback brings about are looked at inside.
reach reach_of_formula(const json& test_case) {
    constexpr std::size_t max_digits = 15;
    const json milli = test_case.at("expect").value("composite_milli", json());
    if (milli.is_string() && milli.get<std::string>().size() > max_digits) return reach::none;
    const bool falls_back =
        has(test_case, "fallback") && test_case.at("fallback").value("behavior", "") == "scalingModifiers";
    for (const json& value : test_case.at("variables")) {
        if (value.is_null() && !falls_back) return reach::none;
        if (value.is_number() && std::round(value.get<double>() * 1000) != value.get<double>() * 1000)
            return reach::none;
    }
    return reach::whole;
}

differences check_valid(const json& test_case, const json&, c_api& library) {
    json spec = {{"triggers", json::array()}};
    for (const json& trigger : test_case.at("triggers")) {
        const std::string type = trigger.at("type");
        json written = pushed_trigger(trigger.value("name", ""));
        if (type == "cpu" || type == "memory") {
            written["type"] = type;
            written["metadata"] = {{"value", "50"}};
        }
        spec["triggers"].push_back(written);
    }
    spec["advanced"]["scalingModifiers"] = test_case.at("scalingModifiers");
    const json opened = library.result(open_policy_call(scaled_object_of(spec), GPUTIDE_STRICT));
    const json& expect = test_case.at("expect");
    const std::string message = message_of(opened);
    differences out;
    expect_equal(out, "ok", expect.at("ok"), message.empty());
    if (expect.contains("error_contains") && !message.empty())
        expect_contains(out, "error", expect.at("error_contains").get<std::string>(), message);
    return out;
}

const registration formulas{"keda-fallback", {"formula"}, &check_formula, &reach_of_formula};
const registration validity{"keda-fallback", {"formula_valid"}, &check_valid};

}  // namespace
}  // namespace conformance::keda_formula
