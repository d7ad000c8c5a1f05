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
json manifest_of(const json& one) {
    const json& target = one.at("target");
    json spec = {{"triggers",
                  {{{"type", "values"},
                    {"metricType", target.at("type")},
                    {"metadata", {{"threshold", json(target.at("milli").get<double>() / 1000.0).dump()}}}}}}};
    if (has(one, "fallback")) spec["fallback"] = one.at("fallback");
    return scaled_object_of(spec, {{"gputide.io/sync-period", "24h"}});
}

json past_of(const json& one) {
    json out = {{"last_hpa_ms", epoch_ms}};
    if (one.contains("health") && one.at("health").contains(one.at("metric").get<std::string>()))
        out["health"][metric_name] = one.at("health").at(one.at("metric").get<std::string>());
    return out;
}

// Without a count of ready pods there is none to divide by.
json seen_of(const json& one, std::int64_t now_ms, const char* value) {
    std::uint32_t flags = GPUTIDE_OBSERVED_READY;
    if (!one.contains("currentReplicas") && !one.contains("readyPods")) flags |= GPUTIDE_SCALE_UNREADABLE;
    const json sample = one.at("error").get<bool>()
                            ? failed_sample()
                            : json{{"value", std::stod(one.at(value).get<std::string>()) / 1000.0}};
    return {{"now_ms", now_ms},
            {"flags", flags},
            {"current_replicas", one.value("currentReplicas", 1)},
            {"ready_replicas", one.value("readyPods", 0)},
            {"samples", {sample}}};
}

// What the read came to: the fallback's number, the value, or null for an error.
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
    for (const json& one : state.at("conditions")) {
        if (one.at("type") == "Fallback") return one.at("status") == "True";
    }
    return {};
}

// Where the case says nothing of the metric's health it is that of a fresh state.
json health_of(const json& expect, const std::string& name) {
    const json fresh = {{"failures", 0}, {"status", "Happy"}};
    return expect.at("health").value(name, fresh);
}

differences check_fallback(const json& one, const json&, door& library) {
    const json results =
        library.results({open_policy_call(manifest_of(one), GPUTIDE_STRICT), load_state_call(past_of(one)),
                         decide_call(seen_of(one, epoch_ms, "value")), describe_state_call()});
    const json read = read_json(step_in(report_of(results[2]), "metric"));
    const json state = described_state(results[3]);
    const json& expect = one.at("expect");
    differences out;
    for (const char* member : {"error", "metric_milli", "fallback_active"})
        expect_equal(out, member, expect.at(member), read.at(member));
    expect_equal(out, "health", health_of(expect, one.at("metric")), state.at("health").at(metric_name),
                 {.subset = true});
    expect_equal(out, "fallback_condition", expect.at("fallback_condition"), condition_json(state));
    return out;
}

differences check_sequence(const json& one, const json&, door& library) {
    json calls = {open_policy_call(manifest_of(one), GPUTIDE_STRICT), load_state_call(past_of(one))};
    differences out;
    const json& steps = one.at("steps");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string name = "step " + std::to_string(i);
        const std::int64_t now_ms = epoch_ms + static_cast<std::int64_t>(i) * poll_ms;
        calls.push_back(decide_call(seen_of(steps[i], now_ms, "value_milli"), name));
        const json read = read_json(step_in(report_of(library.last_result(calls)), "metric"));
        for (const auto& [member, value] : one.at("expect").at("steps").at(i).items()) {
            if (read.contains(member)) expect_equal(out, name + ": " + member, value, read.at(member));
        }
    }
    return out;
}

// Formulas, and other metrics' health beside this one's, are looked at inside.
reach reach_of_fallback(const json& one) {
    if (one.contains("modifiers") || one.at("expect").contains("placeholder")) return reach::none;
    for (const auto& [name, health] : one.at("health").items()) {
        if (name != one.at("metric")) return reach::none;
    }
    return one.at("expect").at("health").contains(one.at("metric")) ? reach::whole : reach::part;
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

json manifest_of(const json& one) {
    json spec = {{"triggers", json::array()}};
    for (const auto& [name, value] : one.at("variables").items()) spec["triggers"].push_back(pushed_trigger(name));
    for (const char* member : {"formula", "target", "activationTarget", "metricType"}) {
        if (has(one, member)) spec["advanced"]["scalingModifiers"][member] = one.at(member);
    }
    if (has(one, "fallback")) spec["fallback"] = one.at("fallback");
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
json calls_of(const json& one) {
    json calls = {open_policy_call(manifest_of(one), GPUTIDE_STRICT), new_state_call(epoch_ms)};
    const int patience = has(one, "fallback") ? one.at("fallback").at("failureThreshold").get<int>() : 0;
    for (int poll = 0; poll <= patience; ++poll) {
        calls.push_back(decide_call({{"now_ms", epoch_ms + poll * poll_ms},
                                     {"current_replicas", 1},
                                     {"samples", samples_of(one.at("variables"))}},
                                    "poll " + std::to_string(poll)));
    }
    return calls;
}

differences check_formula(const json& one, const json&, door& library) {
    const json results = library.results(calls_of(one));
    const json& expect = one.at("expect");
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
reach reach_of_formula(const json& one) {
    constexpr std::size_t most_digits = 15;
    const json milli = one.at("expect").value("composite_milli", json());
    if (milli.is_string() && milli.get<std::string>().size() > most_digits) return reach::none;
    const bool falls_back = has(one, "fallback") && one.at("fallback").value("behavior", "") == "scalingModifiers";
    for (const json& value : one.at("variables")) {
        if (value.is_null() && !falls_back) return reach::none;
        if (value.is_number() && std::round(value.get<double>() * 1000) != value.get<double>() * 1000)
            return reach::none;
    }
    return reach::whole;
}

differences check_valid(const json& one, const json&, door& library) {
    json spec = {{"triggers", json::array()}};
    for (const json& trigger : one.at("triggers")) {
        const std::string type = trigger.at("type");
        json written = pushed_trigger(trigger.value("name", ""));
        if (type == "cpu" || type == "memory") {
            written["type"] = type;
            written["metadata"] = {{"value", "50"}};
        }
        spec["triggers"].push_back(written);
    }
    spec["advanced"]["scalingModifiers"] = one.at("scalingModifiers");
    const json opened = library.result(open_policy_call(scaled_object_of(spec), GPUTIDE_STRICT));
    const json& expect = one.at("expect");
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
