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
policy policy_for(const json& one) {
    const std::string kind = one.at("kind");
    metric_policy metric;
    metric.name = one.value("metric", "metric");
    metric.resource = one.value("resource", "");
    if (kind.starts_with("object")) metric.kind = metric_kind::object;
    if (kind == "pods_average") metric.kind = metric_kind::pods;
    if (kind == "resource_utilization") {
        metric.kind = metric_kind::resource;
        metric.type = manifest::target_type::utilization;
    }
    policy out;
    out.metrics = {metric};
    return out;
}

std::string failure_text(const json& one, const proposal& made, const pod_list& pods) {
    decision of;
    of.failed_metric = 0;
    of.failed_count = of.metric_count = 1;
    of.failure = made.failure;
    text_details details;
    if (made.pod >= 0) details.pod_name = pods.names[static_cast<std::size_t>(made.pod)];
    return pass_error_text(policy_for(one), of, details);
}

differences compare(const json& one, const proposal& made, const pod_list& pods = {}) {
    const json& expect = one.at("expect");
    differences out;
    if (expect.contains("error")) {
        const std::string text = made.failure == metric_failure::none ? "no error" : failure_text(one, made, pods);
        expect_contains(out, "error", expect.at("error").get<std::string>(), text);
        return out;
    }
    if (made.failure != metric_failure::none) return {"error: expected none, got " + failure_text(one, made, pods)};
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
std::optional<std::int64_t> usage_of(const json& one) {
    if (one.contains("value_milli")) return one.at("value_milli").get<std::int64_t>();
    const json& series = one.at("series_milli");
    if (series.empty()) return std::nullopt;
    return sum_series(series);
}

ready_pods ready_of(const json& one) {
    if (!one.contains("pods")) return {one.at("ready_pods").get<std::int32_t>(), true};
    const pod_list pods = pods_of(one.at("pods"));
    return {count_ready(pods.pods), !pods.pods.empty()};
}

differences check_value(const json& one, const json&) {
    const std::optional<std::int64_t> usage = usage_of(one);
    if (!usage) return compare(one, no_metrics());
    return compare(one,
                   value_replicas(*usage, one.at("target_milli").get<std::int64_t>(),
                                  one.at("spec_replicas").get<std::int32_t>(), ready_of(one), tolerance_from(one)));
}

differences check_average(const json& one, const json&) {
    const std::optional<std::int64_t> usage = usage_of(one);
    if (!usage) return compare(one, no_metrics());
    return compare(one, average_replicas(*usage, one.at("target_milli").get<std::int64_t>(),
                                         one.at("status_replicas").get<std::int32_t>(), tolerance_from(one)));
}

void add_unlisted(pod_list& pods, const json& one) {
    if (!one.contains("extra_metrics_milli")) return;
    for (const json& value : one.at("extra_metrics_milli")) {
        pod_sample extra;
        extra.value_milli = value.get<std::int64_t>();
        extra.time_ms = hpa_now_ms;
        pods.samples.push_back(extra);
    }
}

pods_input input_of(const json& one, const pod_list& pods) {
    pods_input out;
    out.pods = pods.pods;
    out.samples = pods.samples;
    out.cpu = one.value("resource", "") == "cpu";
    out.spec_replicas = one.at("spec_replicas").get<std::int32_t>();
    out.band = tolerance_from(one);
    out.by = grouping_of(one);
    return out;
}

differences check_pods(const json& one, const json&) {
    pod_list pods = pods_of(one.at("pods"));
    add_unlisted(pods, one);
    const pods_input in = input_of(one, pods);
    if (one.contains("target_pct"))
        return compare(one, resource_utilization(in, one.at("target_pct").get<std::int32_t>()), pods);
    return compare(one, pods_average(in, one.at("target_milli").get<std::int64_t>()), pods);
}

differences check_grouping(const json& one, const json&) {
    const pod_list pods = pods_of(one.at("pods"));
    const bool cpu = one.value("resource", "") == "cpu";
    json got = {{"ready_count", 0}, {"unready", json::array()}, {"missing", json::array()}, {"ignored", json::array()}};
    for (std::size_t i = 0; i < pods.pods.size(); ++i) {
        switch (group_of(pods.pods[i], &pods.samples[i], cpu, grouping_of(one))) {
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
    for (const auto& [name, value] : one.at("expect").items()) {
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
