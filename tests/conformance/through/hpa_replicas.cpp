// hpa-replicas: one metric becomes a replica count, which a pass shows as what the metrics propose.  Kinds external_*, object_*,
// pods_average, resource_utilization and quantity_milli.
#include "door/json_values.hpp"
#include "gputide/gputide.h"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

namespace conformance::hpa_replicas {
namespace {

constexpr std::int32_t most_replicas = 2'147'483'647;

// A tolerance is behaviour's; limits do not touch what is proposed.
json behavior_of(const json& one) {
    json out;
    if (has(one, "tolerance_up")) out["scaleUp"]["tolerance"] = quantity_of(one.at("tolerance_up"));
    if (has(one, "tolerance_down")) out["scaleDown"]["tolerance"] = quantity_of(one.at("tolerance_down"));
    return out;
}

// A case may start from 0, which only a metric of the outside can leave.
json manifest_of(const json& one, const hpa_metric& metric) {
    const bool outside = metric.type == "External" || metric.type == "Object";
    json annotations = hpa_annotations_of(one);
    if (outside) allow_zero(annotations);
    json spec = {
        {"minReplicas", outside ? 0 : 1}, {"maxReplicas", most_replicas}, {"metrics", {manifest_metric(metric)}}};
    if (const json behavior = behavior_of(one); !behavior.is_null()) spec["behavior"] = behavior;
    return horizontal_pod_autoscaler_of(spec, annotations);
}

differences check_proposal(const json& one, const hpa_metric& metric, json seen, door& library) {
    seen["now_ms"] = hpa_now_ms;
    const json report = report_of(
        library.last_result({open_policy_call(manifest_of(one, metric)), new_state_call(), decide_call(seen)}));
    const json& expect = one.at("expect");
    const std::string failure = report.value("error", "");
    differences out;
    if (expect.contains("error")) {
        expect_contains(out, "error", expect.at("error").get<std::string>(), failure);
        return out;
    }
    if (!failure.empty()) return {"error: expected none, got " + failure};
    const json& step = report.at("trace").at(0);
    const json usage = step.value("usage_milli", json());
    expect_members(out, expect,
                   {{"replicas", report.at("proposed_replicas")},
                    {"usage_milli", usage},
                    {"average_milli", usage},
                    {"utilization_pct", step.value("utilization_percent", json())}});
    return out;
}

// ---- one number -----------------------------------------------------------------------------------------------------
json sample_of(const json& one) {
    if (one.contains("value_milli")) return milli_sample(one.at("value_milli").get<std::int64_t>());
    return series_sample(one.at("series_milli"));
}

differences check_number(const json& one, const json&, door& library) {
    const std::string kind = one.at("kind");
    const bool average = kind.ends_with("average");
    const auto target = one.at("target_milli").get<std::int64_t>();
    const hpa_metric metric{.type = kind.starts_with("object") ? "Object" : "External",
                            .name = one.value("metric", "metric"),
                            .target = average ? average_target(target) : value_target(target)};
    const json replicas = one.at(average ? "status_replicas" : "spec_replicas");
    json seen = {{"current_replicas", replicas},
                 {"status_replicas", replicas},
                 {"flags", GPUTIDE_OBSERVED_STATUS | GPUTIDE_OBSERVED_READY},
                 {"samples", {sample_of(one)}}};
    if (one.contains("pods")) {
        seen["pods"] = observed_pods(one.at("pods"));
        seen["status_replicas"] = one.at("pods").size();
    }
    seen["ready_replicas"] =
        one.contains("pods") ? json(count_ready(one.at("pods"))) : one.value("ready_pods", json(0));
    return check_proposal(one, metric, seen, library);
}

reach reach_of_number(const json& one) {
    const bool fits = one.contains("value_milli") ? fits_double(one.at("value_milli").get<std::int64_t>())
                                                  : sum_fits_double(one.at("series_milli"));
    return fits && one.at("target_milli") > 0 ? reach::whole : reach::none;
}

// ---- pods -----------------------------------------------------------------------------------------------------------
json pod_samples_of(const json& one) {
    json out = json::array();
    std::int32_t place = 0;
    for (const json& pod : one.at("pods")) {
        ++place;
        if (!has(pod, "metric_milli") && !has(pod, "request_milli")) continue;
        json sample = {
            {"metric", 0},
            {"pod", place},
            {"value_milli", has(pod, "metric_milli") ? json_integer(pod.at("metric_milli").get<std::int64_t>())
                                                     : json_integer(GPUTIDE_NO_VALUE)},
            {"time_ms", ms_ago(pod.value("metric_age_s", json(0)))},
            {"window_s", pod.value("metric_window_s", 60)}};
        if (has(pod, "request_milli"))
            sample["request_milli"] = json_integer(pod.at("request_milli").get<std::int64_t>());
        out.push_back(sample);
    }
    for (const json& value : one.value("extra_metrics_milli", json::array()))
        out.push_back(
            {{"metric", 0}, {"value_milli", json_integer(value.get<std::int64_t>())}, {"time_ms", hpa_now_ms}});
    return out;
}

differences check_pods(const json& one, const json&, door& library) {
    const bool utilization = one.contains("target_pct");
    const hpa_metric metric{.type = utilization || one.contains("resource") ? "Resource" : "Pods",
                            .name = one.value("metric", "metric"),
                            .resource = one.value("resource", "cpu"),
                            .target = utilization ? utilization_target(one.at("target_pct").get<std::int64_t>())
                                                  : average_target(one.at("target_milli").get<std::int64_t>())};
    return check_proposal(one, metric,
                          {{"current_replicas", one.at("spec_replicas")},
                           {"pods", observed_pods(one.at("pods"))},
                           {"pod_samples", pod_samples_of(one)}},
                          library);
}

// A request of 0 is "none" at the door, and a size of 0 is not scaled by pods.
reach reach_of_pods(const json& one) {
    if (one.at("spec_replicas") < 1) return reach::none;
    for (const json& pod : one.at("pods")) {
        if (has(pod, "request_milli") && pod.at("request_milli") == 0) return reach::none;
    }
    return can_observe(one.at("pods")) ? reach::whole : reach::none;
}

// ---- quantities -----------------------------------------------------------------------------------------------------
differences check_quantity_milli(const json& one, const json&, door& library) {
    const json result = library.result({{"call", "quantity"}, {"text", one.at("quantity")}});
    const std::string message = message_of(result);
    if (one.at("expect").contains("error"))
        return message.empty() ? differences{"expected an error, got " + result.dump()} : differences{};
    if (!message.empty()) return {"expected a quantity, got the error: " + message};
    differences out;
    expect_equal(out, "milli", one.at("expect").at("milli"), integer_in(result.at("milli")));
    return out;
}

const registration numbers{"hpa-replicas",
                           {"external_value", "external_average", "object_value", "object_average"},
                           &check_number,
                           &reach_of_number};
const registration per_pod{"hpa-replicas", {"pods_average", "resource_utilization"}, &check_pods, &reach_of_pods};
const registration quantities{"hpa-replicas", {"quantity_milli"}, &check_quantity_milli};

}  // namespace
}  // namespace conformance::hpa_replicas
