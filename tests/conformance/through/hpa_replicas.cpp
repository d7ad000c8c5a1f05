// hpa-replicas: one metric becomes a replica count, which a pass shows as what the metrics propose.  Kinds external_*, object_*,
// pods_average, resource_utilization and quantity_milli.
#include "gputide/gputide.h"
#include "protocol/structs.hpp"
#include "through/hpa.hpp"
#include "through/manifests.hpp"

namespace conformance::hpa_replicas {
namespace {

constexpr std::int32_t max_replicas = 2'147'483'647;

// A tolerance is behavior's; limits do not touch what is proposed.
json behavior_of(const json& object) {
    json out;
    if (has(object, "tolerance_up")) out["scaleUp"]["tolerance"] = quantity_of(object.at("tolerance_up"));
    if (has(object, "tolerance_down")) out["scaleDown"]["tolerance"] = quantity_of(object.at("tolerance_down"));
    return out;
}

// A case may start from 0, which only a metric of the outside can leave.
json manifest_of(const json& test_case, const hpa_metric& metric) {
    const bool outside = metric.type == "External" || metric.type == "Object";
    json annotations = hpa_annotations_of(test_case);
    if (outside) allow_zero(annotations);
    json spec = {
        {"minReplicas", outside ? 0 : 1}, {"maxReplicas", max_replicas}, {"metrics", {manifest_metric(metric)}}};
    if (const json behavior = behavior_of(test_case); !behavior.is_null()) spec["behavior"] = behavior;
    return horizontal_pod_autoscaler_of(spec, annotations);
}

differences check_proposal(const json& test_case, const hpa_metric& metric, json seen, c_api& library) {
    seen["now_ms"] = hpa_now_ms;
    const json report = report_of(
        library.last_result({open_policy_call(manifest_of(test_case, metric)), new_state_call(), decide_call(seen)}));
    const json& expect = test_case.at("expect");
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
json sample_of(const json& object) {
    if (object.contains("value_milli")) return milli_sample(object.at("value_milli").get<std::int64_t>());
    return series_sample(object.at("series_milli"));
}

differences check_number(const json& test_case, const json&, c_api& library) {
    const std::string kind = test_case.at("kind");
    const bool average = kind.ends_with("average");
    const auto target = test_case.at("target_milli").get<std::int64_t>();
    const hpa_metric metric{.type = kind.starts_with("object") ? "Object" : "External",
                            .name = test_case.value("metric", "metric"),
                            .target = average ? average_target(target) : value_target(target)};
    const json replicas = test_case.at(average ? "status_replicas" : "spec_replicas");
    json seen = {{"current_replicas", replicas},
                 {"status_replicas", replicas},
                 {"flags", GPUTIDE_OBSERVED_STATUS | GPUTIDE_OBSERVED_READY},
                 {"samples", {sample_of(test_case)}}};
    if (test_case.contains("pods")) {
        seen["pods"] = observed_pods(test_case.at("pods"));
        seen["status_replicas"] = test_case.at("pods").size();
    }
    seen["ready_replicas"] =
        test_case.contains("pods") ? json(count_ready(test_case.at("pods"))) : test_case.value("ready_pods", json(0));
    return check_proposal(test_case, metric, seen, library);
}

reach reach_of_number(const json& test_case) {
    const bool fits = test_case.contains("value_milli") ? fits_double(test_case.at("value_milli").get<std::int64_t>())
                                                        : sum_fits_double(test_case.at("series_milli"));
    return fits && test_case.at("target_milli") > 0 ? reach::whole : reach::none;
}

// ---- pods -----------------------------------------------------------------------------------------------------------
json pod_samples_of(const json& object) {
    json out = json::array();
    std::int32_t place = 0;
    for (const json& pod : object.at("pods")) {
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
    for (const json& value : object.value("extra_metrics_milli", json::array()))
        out.push_back(
            {{"metric", 0}, {"value_milli", json_integer(value.get<std::int64_t>())}, {"time_ms", hpa_now_ms}});
    return out;
}

differences check_pods(const json& test_case, const json&, c_api& library) {
    const bool utilization = test_case.contains("target_pct");
    const hpa_metric metric{.type = utilization || test_case.contains("resource") ? "Resource" : "Pods",
                            .name = test_case.value("metric", "metric"),
                            .resource = test_case.value("resource", "cpu"),
                            .target = utilization ? utilization_target(test_case.at("target_pct").get<std::int64_t>())
                                                  : average_target(test_case.at("target_milli").get<std::int64_t>())};
    return check_proposal(test_case, metric,
                          {{"current_replicas", test_case.at("spec_replicas")},
                           {"pods", observed_pods(test_case.at("pods"))},
                           {"pod_samples", pod_samples_of(test_case)}},
                          library);
}

// A request of 0 is "none" at the C API, and a size of 0 is not scaled by pods.
reach reach_of_pods(const json& test_case) {
    if (test_case.at("spec_replicas") < 1) return reach::none;
    for (const json& pod : test_case.at("pods")) {
        if (has(pod, "request_milli") && pod.at("request_milli") == 0) return reach::none;
    }
    return can_observe(test_case.at("pods")) ? reach::whole : reach::none;
}

// ---- quantities -----------------------------------------------------------------------------------------------------
differences check_quantity_milli(const json& test_case, const json&, c_api& library) {
    const json result = library.result({{"call", "quantity"}, {"text", test_case.at("quantity")}});
    const std::string message = message_of(result);
    if (test_case.at("expect").contains("error"))
        return message.empty() ? differences{"expected an error, got " + result.dump()} : differences{};
    if (!message.empty()) return {"expected a quantity, got the error: " + message};
    differences out;
    expect_equal(out, "milli", test_case.at("expect").at("milli"), integer_in(result.at("milli")));
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
