// hpa-replicas: one metric becomes a replica count.  Kinds external_*, object_*, pods_average, resource_utilization and
// group_pods; through the formulas themselves, since a case says nothing of the pass around them.
#include "decide/hpa/proposals.hpp"
#include "decide/trace/texts.hpp"
#include "inside/hpa_json.hpp"

namespace conformance::hpa_replicas {
namespace {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

// A policy with the one metric, for the texts of failures.
policy policy_for(const json& test_case) {
    const std::string kind = test_case.at("kind");
    metric_policy metric;
    metric.name = test_case.value("metric", "metric");
    if (kind.starts_with("object")) metric.kind = metric_kind::object;
    if (kind == "pods_average") metric.kind = metric_kind::pods;
    if (kind == "resource_utilization") {
        metric.kind = metric_kind::resource;
        metric.name = test_case.value("resource", metric.name);
        metric.type = manifest::target_type::utilization;
    }
    policy out;
    out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    out.metrics = {metric};
    return out;
}

std::string failure_text(const json& object, const proposal& made, const pod_list& pods) {
    decision of;
    of.failed_metric = 0;
    of.failed_count = of.metric_count = 1;
    of.failure = made.failure;
    text_details details;
    if (made.pod >= 0) details.pod_name = pods.names[static_cast<std::size_t>(made.pod)];
    return pass_error_text(policy_for(object), of, details);
}

differences compare(const json& test_case, const proposal& made, const pod_list& pods = {}) {
    const json& expect = test_case.at("expect");
    differences out;
    if (expect.contains("error")) {
        const std::string text =
            made.failure == metric_failure::none ? "no error" : failure_text(test_case, made, pods);
        expect_contains(out, "error", expect.at("error").get<std::string>(), text);
        return out;
    }
    if (made.failure != metric_failure::none)
        return {"error: expected none, got " + failure_text(test_case, made, pods)};
    const json got = {{"replicas", made.replicas},
                      {"usage_milli", made.usage_milli},
                      {"average_milli", made.usage_milli},
                      {"utilization_pct", made.utilization_pct}};
    for (const auto& [name, value] : expect.items()) expect_equal(out, name, value, got.value(name, json()));
    return out;
}

proposal no_metrics() {
    proposal out;
    out.failure = metric_failure::no_metrics;
    return out;
}

// The sum of the series, or the object's one value; nothing where there is no series.
std::optional<std::int64_t> usage_of(const json& object) {
    if (object.contains("value_milli")) return object.at("value_milli").get<std::int64_t>();
    const json& series = object.at("series_milli");
    if (series.empty()) return std::nullopt;
    return sum_series(series);
}

ready_pods ready_of(const json& object) {
    if (!object.contains("pods")) return {object.at("ready_pods").get<std::int32_t>(), true};
    const pod_list pods = pods_of(object.at("pods"));
    return {count_ready(pods.pods), !pods.pods.empty()};
}

differences check_value(const json& test_case, const json&) {
    const std::optional<std::int64_t> usage = usage_of(test_case);
    if (!usage) return compare(test_case, no_metrics());
    return compare(test_case, value_replicas(*usage, test_case.at("target_milli").get<std::int64_t>(),
                                             test_case.at("spec_replicas").get<std::int32_t>(), ready_of(test_case),
                                             tolerance_from(test_case)));
}

differences check_average(const json& test_case, const json&) {
    const std::optional<std::int64_t> usage = usage_of(test_case);
    if (!usage) return compare(test_case, no_metrics());
    return compare(test_case,
                   average_replicas(*usage, test_case.at("target_milli").get<std::int64_t>(),
                                    test_case.at("status_replicas").get<std::int32_t>(), tolerance_from(test_case)));
}

void add_unlisted(pod_list& pods, const json& object) {
    if (!object.contains("extra_metrics_milli")) return;
    for (const json& value : object.at("extra_metrics_milli")) {
        pod_sample extra;
        extra.value_milli = value.get<std::int64_t>();
        extra.time_ms = hpa_now_ms;
        pods.samples.push_back(extra);
    }
}

pods_input input_of(const json& object, const pod_list& pods) {
    pods_input out;
    out.pods = pods.pods;
    out.samples = pods.samples;
    out.cpu = object.value("resource", "") == "cpu";
    out.spec_replicas = object.at("spec_replicas").get<std::int32_t>();
    out.band = tolerance_from(object);
    out.by = grouping_of(object);
    return out;
}

differences check_pods(const json& test_case, const json&) {
    pod_list pods = pods_of(test_case.at("pods"));
    add_unlisted(pods, test_case);
    const pods_input in = input_of(test_case, pods);
    if (test_case.contains("target_pct"))
        return compare(test_case, resource_utilization(in, test_case.at("target_pct").get<std::int32_t>()), pods);
    return compare(test_case, pods_average(in, test_case.at("target_milli").get<std::int64_t>()), pods);
}

differences check_grouping(const json& test_case, const json&) {
    const pod_list pods = pods_of(test_case.at("pods"));
    const bool cpu = test_case.value("resource", "") == "cpu";
    json got = {{"ready_count", 0}, {"unready", json::array()}, {"missing", json::array()}, {"ignored", json::array()}};
    for (std::size_t i = 0; i < pods.pods.size(); ++i) {
        switch (group_of(pods.pods[i], &pods.samples[i], cpu, grouping_of(test_case))) {
            case pod_group::ready:
                got["ready_count"] = got["ready_count"].get<int>() + 1;
                break;
            case pod_group::unready:
                got["unready"].push_back(pods.names[i]);
                break;
            case pod_group::missing:
                got["missing"].push_back(pods.names[i]);
                break;
            case pod_group::ignored:
                got["ignored"].push_back(pods.names[i]);
                break;
        }
    }
    differences out;
    for (const auto& [name, value] : test_case.at("expect").items()) {
        json wanted = value;
        json have = got.value(name, json());
        if (wanted.is_array()) std::sort(wanted.begin(), wanted.end());
        if (have.is_array()) std::sort(have.begin(), have.end());
        expect_equal(out, name, wanted, have);
    }
    return out;
}

const registration values{"hpa-replicas", {"external_value", "object_value"}, &check_value};
const registration averages{"hpa-replicas", {"external_average", "object_average"}, &check_average};
const registration per_pod{"hpa-replicas", {"pods_average", "resource_utilization"}, &check_pods};
const registration grouping{"hpa-replicas", {"group_pods"}, &check_grouping};

}  // namespace
}  // namespace conformance::hpa_replicas
