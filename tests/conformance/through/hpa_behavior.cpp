// hpa-behavior, kind timeline: pass after pass, each from the size that the one before it wrote.
#include "gputide/gputide.h"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

namespace conformance {
namespace {

// At target 1 the metric's value is the recommendation itself; there is no band in which it would not move.
json manifest_of(const json& one) {
    json annotations = hpa_annotations_of(one);
    annotations["gputide.io/scale-up-above"] = "1";
    annotations["gputide.io/scale-down-below"] = "1";
    if (one.at("min") == 0) allow_zero(annotations);
    json spec = {{"minReplicas", one.at("min")},
                 {"maxReplicas", one.at("max")},
                 {"metrics", {manifest_metric({.type = "External", .target = average_target(1000)})}}};
    if (one.at("behavior").is_object()) spec["behavior"] = one.at("behavior");
    return horizontal_pod_autoscaler_of(spec, annotations);
}

json pass_call(std::int64_t now_ms, const json& current, const json& raw, const std::string& name) {
    return decide_call({{"now_ms", now_ms}, {"current_replicas", current}, {"samples", {{{"value", raw}}}}}, name);
}

differences check_timeline(const json& one, const json&, door& library) {
    const json manifest = manifest_of(one);
    json calls = {open_policy_call(manifest), new_state_call()};
    json replicas = one.at("start_replicas");
    json actual = {{"replicas", json::array()}, {"able_reason", json::array()}, {"limit_reason", json::array()}};
    for (const json& step : one.at("steps")) {
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
    expect_members(out, one.at("expect"), actual);
    return out;
}

// A history before the first step has to be loaded.
reach reach_of_timeline(const json& one) { return has(one, "history") ? reach::none : reach_of_settings(one); }

const registration timelines{"hpa-behavior", {"timeline"}, &check_timeline, &reach_of_timeline};

}  // namespace
}  // namespace conformance
