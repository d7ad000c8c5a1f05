// keda-fallback, kinds formula and formula_valid: scalingModifiers over pushed triggers, in the strict profile.
#include "gputide/gputide.h"
#include "through/manifests.hpp"

#include <cmath>

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
