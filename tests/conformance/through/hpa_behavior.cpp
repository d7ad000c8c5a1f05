// hpa-behavior, kinds timeline, rate, stabilize, stabilize_legacy and store_event: passes over one metric with the raw
// recommendation, from a state with the case's past.

#include "gputide/gputide.h"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

#include <algorithm>
#include <cctype>

namespace conformance::hpa_behavior {
namespace {

constexpr std::int32_t max_replicas = 1'000'000'000;

struct limits {
    json min = 1;
    json max = max_replicas;
};

// At target 1 the metric's value is the recommendation itself; there is no band in which it would not move.
json manifest_of(const limits& bounds, const json& behavior, json annotations) {
    annotations["gputide.io/scale-up-above"] = "1";
    annotations["gputide.io/scale-down-below"] = "1";
    if (bounds.min == 0) allow_zero(annotations);
    json spec = {{"minReplicas", bounds.min},
                 {"maxReplicas", bounds.max},
                 {"metrics", {manifest_metric({.type = "External", .target = average_target(1000)})}}};
    if (behavior.is_object()) spec["behavior"] = behavior;
    return horizontal_pod_autoscaler_of(spec, annotations);
}

json pass_call(std::int64_t now_ms, const json& current, const json& raw, const std::string& name) {
    return decide_call({{"now_ms", now_ms}, {"current_replicas", current}, {"samples", {{{"value", raw}}}}}, name);
}

// ---- timelines ------------------------------------------------------------------------------------------------------
differences check_timeline(const json& test_case, const json&, c_api& library) {
    const json past = has(test_case, "history") ? load_state_call({{"history", history_json(test_case.at("history"))}})
                                                : new_state_call();
    const json manifest = manifest_of({test_case.at("min"), test_case.at("max")}, test_case.at("behavior"),
                                      hpa_annotations_of(test_case));
    json calls = {open_policy_call(manifest), past};
    json replicas = test_case.at("start_replicas");
    json actual = {{"replicas", json::array()}, {"able_reason", json::array()}, {"limit_reason", json::array()}};
    for (const json& step : test_case.at("steps")) {
        const std::int64_t now_ms = hpa_now_ms + step.at("t").get<std::int64_t>() * 1000;
        const std::string name = "pass " + std::to_string(actual.at("replicas").size());
        calls.push_back(pass_call(now_ms, replicas, step.at("raw"), name));
        const json report = report_of(library.last_result(calls));
        replicas = report.at("desired_replicas");
        actual["replicas"].push_back(replicas);
        actual["able_reason"].push_back(reason_of(report, "AbleToScale"));
        actual["limit_reason"].push_back(reason_of(report, "ScalingLimited"));
        if (replicas != report.at("current_replicas")) calls.push_back(record_call(name, now_ms));
    }
    differences out;
    expect_members(out, test_case.at("expect"), actual);
    return out;
}

// ---- rate limits ----------------------------------------------------------------------------------------------------
differences check_rate(const json& test_case, const json&, c_api& library) {
    const json past = {{"history", json::array()},
                       {"up_events", events_json(test_case.value("up_events", json::array()))},
                       {"down_events", events_json(test_case.value("down_events", json::array()))}};
    const json manifest = manifest_of({test_case.at("min"), test_case.at("max")}, test_case.at("behavior"),
                                      hpa_annotations_of(test_case));
    const json report = report_of(
        library.last_result({open_policy_call(manifest), load_state_call(past),
                             pass_call(hpa_now_ms, test_case.at("current"), test_case.at("desired"), "pass")}));
    differences out;
    expect_members(out, test_case.at("expect"),
                   {{"replicas", report.at("desired_replicas")}, {"reason", reason_of(report, "ScalingLimited")}});
    return out;
}

// A size outside the bounds is moved there before any rate is looked at.
reach reach_of_rate(const json& test_case) {
    const auto current = test_case.at("current").get<std::int64_t>();
    const bool inside = current > 0 && current >= test_case.at("min").get<std::int64_t>() &&
                        current <= test_case.at("max").get<std::int64_t>();
    return inside && test_case.at("behavior").is_object() ? reach_of_settings(test_case) : reach::none;
}

// ---- stabilization ----------------------------------------------------------------------------------------------------
// The windows, and rules that limit no step.
json windows(const json& up_s, const json& down_s) {
    const json unlimited = {{{"type", "Pods"}, {"value", max_replicas}, {"periodSeconds", 15}}};
    return {{"scaleUp", {{"stabilizationWindowSeconds", up_s}, {"policies", unlimited}}},
            {"scaleDown", {{"stabilizationWindowSeconds", down_s}, {"policies", unlimited}}}};
}

json replicas_in(const json& history) {
    json out = json::array();
    for (const json& entry : history) out.push_back(entry.at("replicas"));
    return out;
}

differences stabilized(c_api& library, const json& test_case, const json& manifest, const json& current) {
    const json results = library.results(
        {open_policy_call(manifest), load_state_call({{"history", history_json(test_case.at("history"))}}),
         pass_call(hpa_now_ms, current, test_case.at("desired"), "pass"), describe_state_call()});
    const json report = report_of(results[2]);
    json expect = test_case.at("expect");
    if (expect.at("replicas") == test_case.at("desired"))
        expect.erase("reason");  // a condition tells only what was held
    differences out;
    expect_members(out, expect,
                   {{"replicas", report.at("desired_replicas")},
                    {"reason", reason_of(report, "AbleToScale")},
                    {"history", replicas_in(described_state(results[3]).at("history"))}});
    return out;
}

differences check_stabilize(const json& test_case, const json&, c_api& library) {
    const json behavior = windows(test_case.at("up_window_s"), test_case.at("down_window_s"));
    return stabilized(library, test_case, manifest_of({}, behavior, hpa_annotations_of(test_case)),
                      test_case.at("current"));
}

// From a size that no recommendation exceeds, so that nothing limits the pass but the window.
differences check_stabilize_legacy(const json& test_case, const json&, c_api& library) {
    json current = test_case.at("desired");
    for (const json& past : test_case.at("history")) current = std::max(current, past.at("replicas"));
    json annotations = hpa_annotations_of(test_case);
    if (has(test_case, "window_s"))
        annotations["gputide.io/downscale-stabilization"] = test_case.at("window_s").dump() + "s";
    return stabilized(library, test_case, manifest_of({}, nullptr, annotations), current);
}

reach reach_of_stabilized(const json& test_case) {
    if (test_case.at("desired") < 1 || test_case.value("current", 1) < 1) return reach::none;
    const json& expect = test_case.at("expect");
    return expect.contains("reason") && expect.at("replicas") == test_case.at("desired") ? reach::part : reach::whole;
}

// ---- events ---------------------------------------------------------------------------------------------------------
// From a size of which 100 percent are more than any case changes.
differences check_store_event(const json& test_case, const json&, c_api& library) {
    constexpr std::int64_t current = 1'000'000;
    json behavior;
    if (test_case.at("rules").is_object()) behavior["scaleUp"] = test_case.at("rules");
    const json past = {{"history", json::array()}, {"up_events", events_json(test_case.at("events"))}};
    const std::int64_t raw = current + test_case.at("change").get<std::int64_t>();
    const json results = library.results({open_policy_call(manifest_of({}, behavior, hpa_annotations_of(test_case))),
                                          load_state_call(past), pass_call(hpa_now_ms, current, raw, "pass"),
                                          record_call("pass", hpa_now_ms), describe_state_call()});
    worked(results[3]);
    json events = json::array();
    const json state = described_state(results[4]);  // its members are borrowed below
    for (const json& event : state.at("up_events")) events.push_back({event.at("change"), event.at("outdated")});
    differences out;
    expect_equal(out, "desired", raw, worked(results[2]).at("decision").at("desired_replicas"));
    expect_equal(out, "events", test_case.at("expect").at("events"), events);
    return out;
}

// Rules that would not let the change pass are looked at inside, and so is what changed before.
reach reach_of_store_event(const json& test_case) {
    if (!test_case.at("rules").is_object()) return reach::part;
    bool passes =
        test_case.at("rules").value("selectPolicy", "Max") == "Max" && !test_case.at("rules").contains("policies");
    for (const json& rule : test_case.at("rules").value("policies", json::array()))
        passes = passes || (rule.at("type") == "Percent" && rule.at("value") >= 100);
    return passes && test_case.at("rules").value("selectPolicy", "Max") == "Max" ? reach::part : reach::none;
}

const registration timelines{"hpa-behavior", {"timeline"}, &check_timeline, &reach_of_settings};
const registration rates{"hpa-behavior", {"rate"}, &check_rate, &reach_of_rate};
const registration windows_with_rules{"hpa-behavior", {"stabilize"}, &check_stabilize, &reach_of_stabilized};
const registration windows_legacy{"hpa-behavior", {"stabilize_legacy"}, &check_stabilize_legacy, &reach_of_stabilized};
const registration stored{"hpa-behavior", {"store_event"}, &check_store_event, &reach_of_store_event};

}  // namespace
}  // namespace conformance::hpa_behavior

// hpa-behavior, kinds defaults and validate: a behavior with what the API server fills in, and what it refuses.

namespace conformance::hpa_manifest {
namespace {

// A described behavior has each default filled in, the tolerance too, where the cases leave it out.
json with_tolerances(json behavior) {
    if (!behavior.is_object()) return behavior;
    for (json& rules : behavior) {
        rules["tolerance"] = rules.contains("tolerance") ? json(number_of(rules.at("tolerance"))) : json(0.1);
    }
    return behavior;
}

differences check_defaults(const json& test_case, const json&, c_api& library) {
    json spec = {{"maxReplicas", 10}};
    if (!test_case.at("behavior").is_null()) spec["behavior"] = test_case.at("behavior");
    const json described =
        library.last_result({open_policy_call(horizontal_pod_autoscaler_of(spec, hpa_annotations_of(test_case))),
                             {{"call", "policy.describe"}, {"policy", "policy"}}});
    differences out;
    expect_equal(out, "behavior", with_tolerances(test_case.at("expect").at("behavior")),
                 json::parse(worked(described).at("json").get<std::string>()).at("behavior"));
    return out;
}

// The cases give {type, target} where the API nests the source under its type's field: {type, external: {metric, target}}.
json nested(const json& metric) {
    const std::string type = metric.value("type", "");
    std::string field = type;
    if (!field.empty()) field[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(field[0])));
    if (field.empty() || metric.contains(field)) return metric;
    json source = json::object();
    json out = json::object();
    for (const auto& [key, value] : metric.items()) (key == "type" ? out : source)[key] = value;
    const bool resource = type == "Resource" || type == "ContainerResource";
    if (resource && !source.contains("name")) source["name"] = "cpu";
    if (!resource && !source.contains("metric")) source["metric"] = {{"name", "case"}};
    if (type == "ContainerResource" && !source.contains("container")) source["container"] = "main";
    if (type == "Object" && !source.contains("describedObject")) {
        source["describedObject"] = {{"apiVersion", "v1"}, {"kind", "Service"}, {"name", "case"}};
    }
    out[field] = source;
    return out;
}

differences check_validate(const json& test_case, const json&, c_api& library) {
    json spec = test_case.at("spec");
    if (spec.contains("metrics")) {
        for (json& metric : spec["metrics"]) metric = nested(metric);
    }
    const json annotations = {
        {"gputide.io/hpa-scale-to-zero", test_case.value("scale_to_zero", false) ? "true" : "false"}};
    json errors = json::array();
    for (const manifest_error& found : errors_of(library, horizontal_pod_autoscaler_of(spec, annotations)))
        errors.push_back(found.path + ": " + found.message);
    std::sort(errors.begin(), errors.end());
    differences out;
    expect_equal(out, "errors", test_case.at("expect").at("errors"), errors);
    return out;
}

const registration defaults{"hpa-behavior", {"defaults"}, &check_defaults, &reach_of_settings};
const registration validate{"hpa-behavior", {"validate"}, &check_validate};

}  // namespace
}  // namespace conformance::hpa_manifest
