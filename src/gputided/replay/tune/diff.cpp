#include "replay/tune/diff.hpp"

#include "replay/figures.hpp"

#include <array>
#include <initializer_list>
#include <string_view>

namespace gputided {
namespace {

using json = nlohmann::json;

// The same value, written as a number or as text: 60 and "60".
bool same_value(const json& before, const json& after) {
    const auto text = [](const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
    return text(before) == text(after);
}

std::string diff_lines(const std::string& path, const json& before, const json& after) {
    if (same_value(before, after)) return "";
    std::string out = "@@ " + path + "\n";
    if (!before.is_null()) out += "-  " + before.dump() + "\n";
    return out + "+  " + after.dump() + "\n";
}

json at_path(const json& object, std::initializer_list<const char*> path) {
    const json* at = &object;
    for (const char* name : path) {
        if (!at->is_object() || !at->contains(name)) return nullptr;
        at = &at->at(name);
    }
    return *at;
}

std::string behavior_diff(const json& policy, const json& changes, const std::string& root) {
    std::string out;
    for (const std::string direction : {"scaleUp", "scaleDown"}) {
        const bool up = direction == "scaleUp";
        const json rules = at_path(policy, {"behavior", direction.c_str()});
        const auto old = [&](const char* name) { return at_path(rules, {name}); };
        const char* window = up ? "up_window_s" : "down_window_s";
        if (changes.contains(window)) {
            out += diff_lines(root + direction + ".stabilizationWindowSeconds", old("stabilizationWindowSeconds"),
                              changes[window]);
        }
        if (changes.contains("tolerance")) {
            out += diff_lines(root + direction + ".tolerance", old("tolerance"), changes["tolerance"].dump());
        }
        const json rates = rate_policies(changes, up ? "up_percent" : "down_percent", up ? "up_pods" : "down_pods");
        if (!rates.empty()) out += diff_lines(root + direction + ".policies", old("policies"), rates);
    }
    return out;
}

struct forecast_field {
    const char* change;
    const char* annotation;
    const char* setting;
};

constexpr std::array<forecast_field, 4> forecast_fields{
    forecast_field{"forecast_lead_ms", "gputide.io/forecast-lead", "lead_ms"},
    forecast_field{"forecast_budget_percent", "gputide.io/forecast-budget", "budget_percent"},
    forecast_field{"forecast_quantile_percent", "gputide.io/forecast-quantile", "quantile_percent"},
    forecast_field{"forecast_max_raise_percent", "gputide.io/forecast-max-raise", "max_raise_percent"}};

// As the annotation has it: text.
json annotation_text(const forecast_field& field, const json& value) {
    if (value.is_null()) return "none";
    const bool is_time = value.is_number() && std::string_view(field.change).ends_with("_ms");
    return is_time ? std::to_string(value.get<std::int64_t>() / 1000) + "s" : figure(value.get<double>(), 3);
}

std::string forecast_diff(const json& policy, const json& changes) {
    std::string out;
    const json before = at_path(policy, {"forecast", "settings"});
    for (const forecast_field& field : forecast_fields) {
        if (!changes.contains(field.change)) continue;
        const json& now = changes.at(field.change);
        const json old = before.is_object() ? before.value(field.setting, json()) : json();
        if (old == now) continue;
        out += diff_lines("metadata.annotations[\"" + std::string(field.annotation) + "\"]",
                          before.is_object() ? annotation_text(field, old) : json(), annotation_text(field, now));
    }
    return out;
}

}  // namespace

json forecast_annotations(const json& changes) {
    json out = json::object();
    for (const forecast_field& field : forecast_fields) {
        if (changes.contains(field.change)) out[field.annotation] = annotation_text(field, changes.at(field.change));
    }
    return out;
}

json rate_policies(const json& changes, const char* percent, const char* pods) {
    json out = json::array();
    const int period_s = changes.value("policy_period_s", 15);
    if (changes.contains(percent))
        out.push_back({{"type", "Percent"}, {"value", changes[percent]}, {"periodSeconds", period_s}});
    if (changes.contains(pods))
        out.push_back({{"type", "Pods"}, {"value", changes[pods]}, {"periodSeconds", period_s}});
    return out;
}

std::string manifest_diff(const json& policy, const json& changes) {
    const bool keda = policy.at("kind") == "ScaledObject";
    const json metric = policy.at("metrics").at(0);
    std::string out;
    if (changes.contains("threshold")) {
        const bool average = metric.value("type", "") == "AverageValue";
        const std::string path =
            keda ? "spec.triggers[0].metadata.threshold"
                 : std::string("spec.metrics[0].external.target.") + (average ? "averageValue" : "value");
        out += diff_lines(path, metric.value("target", json()).dump(), changes["threshold"].dump());
    }
    if (changes.contains("activation_threshold")) {
        out += diff_lines("spec.triggers[0].metadata.activationThreshold", metric.value("activationThreshold", json()),
                          changes["activation_threshold"].dump());
    }
    const auto whole = [&](const char* name, const char* in_keda, const char* in_hpa) {
        const char* where = keda ? in_keda : in_hpa;
        if (changes.contains(name))
            out += diff_lines(std::string("spec.") + where, policy.value(where, json()), changes[name]);
    };
    whole("min", "minReplicaCount", "minReplicas");
    whole("max", "maxReplicaCount", "maxReplicas");
    whole("cooldown_s", "cooldownPeriod", "cooldownPeriod");
    whole("polling_interval_s", "pollingInterval", "pollingInterval");
    if (changes.contains("in_flight_guard")) {
        out += diff_lines("metadata.annotations[\"gputide.io/in-flight-guard\"]", nullptr,
                          changes["in_flight_guard"].dump());
    }
    return out + forecast_diff(policy, changes) +
           behavior_diff(policy, changes,
                         keda ? "spec.advanced.horizontalPodAutoscalerConfig.behavior." : "spec.behavior.");
}

}  // namespace gputided
