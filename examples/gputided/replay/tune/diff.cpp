#include "replay/tune/diff.hpp"

#include "replay/figures.hpp"

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

json rate_policies(const json& changes, const char* percent, const char* pods) {
    json out = json::array();
    const int period_s = changes.value("policy_period_s", 15);
    if (changes.contains(percent))
        out.push_back({{"type", "Percent"}, {"value", changes[percent]}, {"periodSeconds", period_s}});
    if (changes.contains(pods))
        out.push_back({{"type", "Pods"}, {"value", changes[pods]}, {"periodSeconds", period_s}});
    return out;
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

std::string forecast_diff(const json& policy, const json& changes) {
    std::string out;
    const json before = at_path(policy, {"forecast", "settings"});
    const auto number = [&](const char* change, const char* annotation, const char* setting) {
        if (!changes.contains(change)) return;
        const json& now = changes.at(change);
        const json old = before.is_object() ? before.value(setting, json()) : json();
        if (old == now) return;
        const bool is_time = now.is_number() && std::string_view(change).ends_with("_ms");
        const auto shown = [&](const json& value) {
            if (value.is_null()) return json("none");
            return json(is_time ? std::to_string(value.get<std::int64_t>() / 1000) + "s"
                                : figure(value.get<double>(), 3));
        };
        const json written = before.is_object() ? shown(old) : json();
        out += diff_lines("metadata.annotations[\"gputide.io/forecast-" + std::string(annotation) + "\"]", written,
                          shown(now));
    };
    number("forecast_lead_ms", "lead", "lead_ms");
    number("forecast_budget_percent", "budget", "budget_percent");
    number("forecast_quantile_percent", "quantile", "quantile_percent");
    number("forecast_max_raise_percent", "max-raise", "max_raise_percent");
    return out;
}

}  // namespace

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
