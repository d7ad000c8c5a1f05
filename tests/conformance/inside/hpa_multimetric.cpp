// hpa-multimetric: whole controller passes through decide() and record_applied() or record_failed().
#include "decide/decide.hpp"
#include "decide/decision.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/trace/texts.hpp"
#include "inside/hpa_json.hpp"

namespace conformance::hpa_multimetric {
namespace {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

metric_kind kind_of(const std::string& type) {
    if (type == "External") return metric_kind::external;
    if (type == "Object") return metric_kind::object;
    if (type == "Pods") return metric_kind::pods;
    if (type == "Resource") return metric_kind::resource;
    if (type == "ContainerResource") return metric_kind::container_resource;
    return metric_kind::unknown;
}

void set_target(metric_policy& out, const json& target) {
    if (target.contains("averageUtilization")) {
        out.type = manifest::target_type::utilization;
        out.utilization_pct = target.at("averageUtilization").get<std::int32_t>();
    } else if (target.contains("averageValue_milli")) {
        out.target_milli = target.at("averageValue_milli").get<std::int64_t>();
    } else if (target.contains("value_milli")) {
        out.type = manifest::target_type::value;
        out.target_milli = target.at("value_milli").get<std::int64_t>();
    }
}

metric_policy metric_of(const json& one) {
    metric_policy out;
    const std::string type = one.at("type");
    out.kind = kind_of(type);
    out.name = out.kind == metric_kind::unknown ? type : one.value("name", "metric");
    const bool resource = out.kind == metric_kind::resource || out.kind == metric_kind::container_resource;
    if (resource) out.resource = one.value("resource", one.value("name", "cpu"));
    out.container = one.value("container", "");
    set_target(out, one.value("target", json::object()));
    return out;
}

policy policy_of(const json& one) {
    policy out;
    out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    out.scaling.min = one.at("min").get<std::int32_t>();
    out.scaling.max = one.at("max").get<std::int32_t>();
    out.scaling.extra.sync_period_ms = 0;
    out.scaling.controller.versions = versions_of(one);
    out.scaling.controller.scale_to_zero = gate_of(one);
    out.scaling.controller.downscale_window_s = one.value("downscale_window_s", 300);
    out.scaling.controller.cpu_initialization_s = one.value("cpu_init_period_s", 300);
    out.scaling.controller.initial_readiness_s = one.value("initial_readiness_delay_s", 30);
    out.legacy_up_factor = one.value("legacy_up_factor", 2.0);
    out.legacy_up_min = one.value("legacy_up_min", 4.0);
    out.scaling.behavior = hpa_behavior_of(one.value("behavior", json()), out.scaling.controller.downscale_window_s);
    for (const json& metric : one.at("metrics")) out.metrics.push_back(metric_of(metric));
    return out;
}

state state_of(const json& one, const policy& by) {
    state out = make_state(by);
    out.scaled_to_zero = one.value("scaled_to_zero", false);
    if (one.contains("scaled_to_zero")) {
        set_condition(out.conditions, condition_type::scaled_to_zero, out.scaled_to_zero ? truth::yes : truth::no,
                      out.scaled_to_zero ? reason::scaled_to_zero : reason::not_scaled_to_zero, hpa_now_ms);
    }
    out.ups = events_of(one.value("up_events", json::array()));
    out.downs = events_of(one.value("down_events", json::array()));
    if (!one.contains("history") || one.at("history").is_null()) return out;
    out.seen = true;
    out.recommendations = history_of(one.at("history"));
    return out;
}

// A sum of series as the value of one sample; nothing in the series: the query matched nothing.
gputide::sample sample_of(const json& one) {
    gputide::sample out;
    out.state = gputide::sample_state::ok;
    if (one.contains("error")) {
        out.state = gputide::sample_state::failed;
    } else if (one.contains("value_milli")) {
        out.value = static_cast<double>(one.at("value_milli").get<std::int64_t>()) / 1000.0;
    } else if (one.contains("series_milli")) {
        const json& series = one.at("series_milli");
        if (series.empty()) out.state = gputide::sample_state::empty;
        out.value = static_cast<double>(sum_series(series)) / 1000.0;
    }
    return out;
}

// By pod index; surplus metrics belong to pods that nobody knows, surplus pods have only a request or nothing.
void add_pod_samples(std::vector<pod_sample>& to, const json& metric, std::int32_t index, std::size_t pods) {
    const json values = metric.value("pod_metrics_milli", json::array());
    const json requests = metric.value("pod_requests_milli", json::array());
    for (std::size_t i = 0; i < std::max({values.size(), requests.size(), pods}); ++i) {
        pod_sample out;
        out.metric = index;
        out.pod = i < pods ? static_cast<std::int32_t>(i) : -1;
        out.value_milli = i < values.size() && !values[i].is_null() ? values[i].get<std::int64_t>() : absent;
        if (i < requests.size() && !requests[i].is_null()) out.request_milli = requests[i].get<std::int64_t>();
        out.time_ms = hpa_now_ms;
        to.push_back(out);
    }
}

// One case as an observation, with what it borrows.
struct scene {
    explicit scene(const json& one) : pods(pods_of(one.at("pods"))) {
        std::int32_t index = 0;
        for (const json& metric : one.at("metrics")) {
            samples.push_back(sample_of(metric));
            add_pod_samples(pod_samples, metric, index++, pods.pods.size());
        }
        seen.now_ms = hpa_now_ms;
        seen.spec_replicas = one.at("spec_replicas").get<std::int32_t>();
        seen.status_replicas = one.at("status_replicas").get<std::int32_t>();
        seen.ready_replicas = count_ready(pods.pods);
        seen.scale_readable = !one.contains("scale_get_error");
        seen.samples = samples;
        seen.pods = pods.pods;
        seen.lists_pods = true;
        seen.pod_samples = pod_samples;
    }

    pod_list pods;
    std::vector<gputide::sample> samples;
    std::vector<pod_sample> pod_samples;
    observation seen;
};

text_details details_of(const json& one, const decision& made, const scene& in) {
    text_details out;
    if (made.failed_pod >= 0) out.pod_name = in.pods.names[static_cast<std::size_t>(made.failed_pod)];
    if (made.failed_metric < 0) return out;
    const json& metric = one.at("metrics").at(static_cast<std::size_t>(made.failed_metric));
    if (metric.contains("error")) out.read_error = metric.at("error").get_ref<const std::string&>();
    return out;
}

// The pass's own error, or that of the scale subresource.
std::string error_of(const json& one, const policy& by, const decision& made, const scene& in) {
    for (const char* member : {"scale_get_error", "scale_update_error"}) {
        if (one.contains(member)) return one.at(member).is_string() ? one.at(member).get<std::string>() : member;
    }
    return pass_error_text(by, made, details_of(one, made, in));
}

void compare_conditions(differences& out, const json& expect, const decision& made) {
    for (std::size_t i = 0; i < condition_count; ++i) {
        const auto type = static_cast<condition_type>(i);
        const std::string name = condition_name(type);
        const condition& got = made.conditions[i];
        if (const json wanted = expect.value("conditions", json::object()); wanted.contains(name)) {
            expect_equal(out, name, wanted.at(name), json::array({truth_name(got.truth), reason_name(got.reason)}));
        }
        for (const json& gone : expect.value("conditions_absent", json::array())) {
            if (gone == name && got.truth != truth::absent)
                out.push_back(name + ": expected absent, got " + reason_name(got.reason));
        }
    }
}

differences check_reconcile(const json& one, const json&) {
    const policy by = policy_of(one);
    state with = state_of(one, by);
    const scene in(one);
    decision made = decide(by, with, in.seen);
    const bool wanted = made.desired_replicas != made.current_replicas;
    const bool failed = one.contains("scale_update_error");
    if (failed) record_failed(by, with, made, hpa_now_ms);
    if (!failed) record_applied(by, with, made, hpa_now_ms);

    const json& expect = one.at("expect");
    differences out;
    const json got = {{"desired_replicas", failed ? made.current_replicas : made.desired_replicas},
                      {"rescaled", wanted && !failed}};
    for (const char* name : {"desired_replicas", "rescaled"}) {
        if (expect.contains(name)) expect_equal(out, name, expect.at(name), got.at(name));
    }
    compare_conditions(out, expect, made);
    if (expect.contains("error")) {
        expect_contains(out, "error", expect.at("error").get<std::string>(), error_of(one, by, made, in));
    }
    return out;
}

const registration passes{"hpa-multimetric", {"reconcile"}, &check_reconcile};

}  // namespace
}  // namespace conformance::hpa_multimetric
