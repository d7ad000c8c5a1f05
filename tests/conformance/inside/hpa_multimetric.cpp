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

metric_policy metric_of(const json& object) {
    metric_policy out;
    const std::string type = object.at("type");
    out.kind = kind_of(type);
    out.name = out.kind == metric_kind::unknown ? type : object.value("name", "metric");
    if (out.is_resource()) out.name = object.value("resource", object.value("name", "cpu"));
    if (object.contains("container"))
        out.subject = std::make_shared<const manifest::metric_subject>(
            manifest::metric_subject{.container = object.at("container")});
    set_target(out, object.value("target", json::object()));
    return out;
}

policy policy_of(const json& object) {
    policy out;
    out.scaling.kind = manifest::manifest_kind::horizontal_pod_autoscaler;
    out.scaling.min = object.at("min").get<std::int32_t>();
    out.scaling.max = object.at("max").get<std::int32_t>();
    out.scaling.extra.sync_period_ms = 0;
    out.scaling.controller.versions = versions_of(object);
    out.scaling.controller.scale_to_zero = gate_of(object);
    out.scaling.controller.downscale_window_s = object.value("downscale_window_s", 300);
    out.scaling.controller.cpu_initialization_s = object.value("cpu_init_period_s", 300);
    out.scaling.controller.initial_readiness_s = object.value("initial_readiness_delay_s", 30);
    out.legacy_up_factor = object.value("legacy_up_factor", 2.0);
    out.legacy_up_min = object.value("legacy_up_min", 4.0);
    out.scaling.behavior = hpa_behavior_of(object.value("behavior", json()), out.scaling.controller.downscale_window_s);
    for (const json& metric : object.at("metrics")) out.metrics.push_back(metric_of(metric));
    return out;
}

state state_of(const json& object, const policy& by) {
    state out = make_state(by);
    out.scaled_to_zero = object.value("scaled_to_zero", false);
    if (object.contains("scaled_to_zero")) {
        set_condition(out.conditions, condition_type::scaled_to_zero, out.scaled_to_zero ? truth::yes : truth::no,
                      out.scaled_to_zero ? reason::scaled_to_zero : reason::not_scaled_to_zero, hpa_now_ms);
    }
    out.ups = events_of(object.value("up_events", json::array()));
    out.downs = events_of(object.value("down_events", json::array()));
    if (!object.contains("history") || object.at("history").is_null()) return out;
    out.seen = true;
    out.recommendations = history_of(object.at("history"));
    return out;
}

// A sum of series as the value of one sample; nothing in the series: the query matched nothing.
gputide::sample sample_of(const json& object) {
    gputide::sample out;
    out.state = gputide::sample_state::ok;
    if (object.contains("error")) {
        out.state = gputide::sample_state::failed;
    } else if (object.contains("value_milli")) {
        out.value = static_cast<double>(object.at("value_milli").get<std::int64_t>()) / 1000.0;
    } else if (object.contains("series_milli")) {
        const json& series = object.at("series_milli");
        if (series.empty()) out.state = gputide::sample_state::empty;
        out.value = static_cast<double>(sum_series(series)) / 1000.0;
    }
    return out;
}

// By pod index; surplus metrics belong to unknown pods, surplus pods have only a request or nothing.
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
    explicit scene(const json& object) : pods(pods_of(object.at("pods"))) {
        std::int32_t index = 0;
        for (const json& metric : object.at("metrics")) {
            samples.push_back(sample_of(metric));
            add_pod_samples(pod_samples, metric, index++, pods.pods.size());
        }
        seen.now_ms = hpa_now_ms;
        seen.spec_replicas = object.at("spec_replicas").get<std::int32_t>();
        seen.status_replicas = object.at("status_replicas").get<std::int32_t>();
        seen.ready_replicas = count_ready(pods.pods);
        seen.scale_readable = !object.contains("scale_get_error");
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

text_details details_of(const json& object, const decision& made, const scene& in) {
    text_details out;
    if (made.failed_pod >= 0) out.pod_name = in.pods.names[static_cast<std::size_t>(made.failed_pod)];
    if (made.failed_metric < 0) return out;
    const json& metric = object.at("metrics").at(static_cast<std::size_t>(made.failed_metric));
    if (metric.contains("error")) out.read_error = metric.at("error").get_ref<const std::string&>();
    return out;
}

// The pass's own error, or that of the scale subresource.
std::string error_of(const json& object, const policy& by, const decision& made, const scene& in) {
    for (const char* member : {"scale_get_error", "scale_update_error"}) {
        if (object.contains(member))
            return object.at(member).is_string() ? object.at(member).get<std::string>() : member;
    }
    return pass_error_text(by, made, details_of(object, made, in));
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

differences check_reconcile(const json& test_case, const json&) {
    const policy by = policy_of(test_case);
    state with = state_of(test_case, by);
    const scene in(test_case);
    decision made = decide(by, with, in.seen);
    const bool wanted = made.desired_replicas != made.current_replicas;
    const bool failed = test_case.contains("scale_update_error");
    if (failed) record_failed(by, with, made, hpa_now_ms);
    if (!failed) record_applied(by, with, made, hpa_now_ms);

    const json& expect = test_case.at("expect");
    differences out;
    const json got = {{"desired_replicas", failed ? made.current_replicas : made.desired_replicas},
                      {"rescaled", wanted && !failed}};
    for (const char* name : {"desired_replicas", "rescaled"}) {
        if (expect.contains(name)) expect_equal(out, name, expect.at(name), got.at(name));
    }
    compare_conditions(out, expect, made);
    if (expect.contains("error")) {
        expect_contains(out, "error", expect.at("error").get<std::string>(), error_of(test_case, by, made, in));
    }
    return out;
}

const registration passes{"hpa-multimetric", {"reconcile"}, &check_reconcile};

}  // namespace
}  // namespace conformance::hpa_multimetric
