// The hpa-* formats' common parts; see hpa_json.hpp.
#include "inside/hpa_json.hpp"

#include "base/saturate.hpp"
#include "through/manifests.hpp"

#include <stdexcept>

namespace conformance {

using namespace gputide::decide;
namespace manifest = gputide::manifest;

namespace {

pod_phase phase_of(const std::string& text) {
    if (text == "Running") return pod_phase::running;
    if (text == "Pending") return pod_phase::pending;
    if (text == "Succeeded") return pod_phase::succeeded;
    if (text == "Failed") return pod_phase::failed;
    return pod_phase::unknown;
}

readiness readiness_of(const json& object) {
    if (!object.contains("ready")) return readiness::yes;
    if (object.at("ready").is_null()) return readiness::no_condition;
    return object.at("ready").get<bool>() ? readiness::yes : readiness::no;
}

pod pod_of(const json& object) {
    pod out;
    out.phase = phase_of(object.value("phase", "Running"));
    out.deleting = object.value("deleting", false);
    out.readiness = readiness_of(object);
    const json start = object.contains("start_age_s") ? object.at("start_age_s") : json(3600);
    const json ready = object.contains("ready_age_s") ? object.at("ready_age_s") : start;
    if (!start.is_null()) out.start_time_ms = ms_ago(start);
    if (!ready.is_null()) out.ready_change_time_ms = ms_ago(ready);
    return out;
}

std::int64_t milli_or_absent(const json& object, const char* member) {
    if (!object.contains(member) || object.at(member).is_null()) return absent;
    return object.at(member).get<std::int64_t>();
}

pod_sample sample_of(const json& object, std::int32_t pod) {
    pod_sample out;
    out.pod = pod;
    out.value_milli = milli_or_absent(object, "metric_milli");
    out.request_milli = milli_or_absent(object, "request_milli");
    out.time_ms = ms_ago(object.value("metric_age_s", json(0)));
    out.window_s = object.value("metric_window_s", 60);
    return out;
}

manifest::select_policy select_of(const std::string& text) {
    if (text == "Max") return manifest::select_policy::max;
    if (text == "Min") return manifest::select_policy::min;
    if (text == "Disabled") return manifest::select_policy::disabled;
    throw std::runtime_error("selectPolicy: expected Max, Min or Disabled, got " + text);
}

}  // namespace

pod_list pods_of(const json& list) {
    pod_list out;
    for (const json& entry : list) {
        const auto index = static_cast<std::int32_t>(out.pods.size());
        out.names.push_back(entry.value("name", "pod-" + std::to_string(index)));
        out.pods.push_back(pod_of(entry));
        out.samples.push_back(sample_of(entry, index));
    }
    for (std::size_t i = 0; i < out.pods.size(); ++i) out.pods[i].name = out.names[i];
    return out;
}

tolerance tolerance_from(const json& object) {
    const auto side = [&](const char* member) { return has(object, member) ? number_of(object.at(member)) : 0.1; };
    return tolerance_band(side("tolerance_up"), side("tolerance_down"));
}

manifest::original_versions versions_of(const json& object) {
    manifest::original_versions out;
    out.kubernetes = manifest::read_version(manifest::original::kubernetes, hpa_version_of(object)).value();
    return out;
}

std::optional<bool> gate_of(const json& object) {
    if (const json gate = hpa_gate_of(object); gate.is_boolean()) return gate.get<bool>();
    return std::nullopt;
}

grouping grouping_of(const json& object) {
    return {hpa_now_ms, object.value("cpu_init_period_s", std::int64_t{300}) * 1000,
            object.value("initial_readiness_delay_s", std::int64_t{30}) * 1000,
            manifest::holds(manifest::version_rule::ignores_succeeded_pods, versions_of(object))};
}

manifest::behavior default_hpa_behavior(std::int32_t downscale_window_s) {
    manifest::behavior out;
    out.up.policies = {{manifest::policy_type::pods, 4, 15}, {manifest::policy_type::percent, 100, 15}};
    out.down.window_s = downscale_window_s;
    out.down.policies = {{manifest::policy_type::percent, 100, 15}};
    return out;
}

manifest::scaling_rules hpa_rules_of(const json& rules, manifest::scaling_rules defaults) {
    manifest::scaling_rules out = std::move(defaults);
    if (!rules.is_object()) return out;
    if (has(rules, "stabilizationWindowSeconds")) rules.at("stabilizationWindowSeconds").get_to(out.window_s);
    if (has(rules, "selectPolicy")) out.select = select_of(rules.at("selectPolicy"));
    if (has(rules, "tolerance")) out.tolerance = number_of(rules.at("tolerance"));
    if (!has(rules, "policies")) return out;
    out.policies.clear();
    for (const json& rule : rules.at("policies")) {
        const bool pods = rule.at("type") == "Pods";
        out.policies.push_back({pods ? manifest::policy_type::pods : manifest::policy_type::percent,
                                rule.at("value").get<std::int32_t>(), rule.at("periodSeconds").get<std::int32_t>()});
    }
    return out;
}

std::optional<manifest::behavior> hpa_behavior_of(const json& behavior, std::int32_t downscale_window_s) {
    if (!behavior.is_object()) return std::nullopt;
    const manifest::behavior defaults = default_hpa_behavior(downscale_window_s);
    manifest::behavior out;
    out.up = hpa_rules_of(behavior.value("scaleUp", json()), defaults.up);
    out.down = hpa_rules_of(behavior.value("scaleDown", json()), defaults.down);
    return out;
}

std::int64_t sum_series(const json& series_milli) {
    std::int64_t sum = 0;
    for (const json& entry : series_milli) sum = gputide::add_saturating(sum, entry.get<std::int64_t>());
    return sum;
}

recommendation_history history_of(const json& list) {
    recommendation_history out;
    for (const json& entry : list) out.push_back({entry.at("replicas").get<std::int32_t>(), ms_ago(entry.at("age_s"))});
    return out;
}

std::vector<scale_event> events_of(const json& list) {
    std::vector<scale_event> out;
    for (const json& entry : list)
        out.push_back(
            {entry.at("change").get<std::int32_t>(), entry.value("outdated", false), ms_ago(entry.at("age_s"))});
    return out;
}

}  // namespace conformance
