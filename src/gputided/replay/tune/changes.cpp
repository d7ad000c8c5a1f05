#include "common/json.hpp"
#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace gputided {

namespace {

std::string diff_lines(const std::string& path, const json& before, const json& after) {
    if (shown(before) == shown(after)) return "";  // 60 and "60" are equal
    std::string out = "@@ " + path + "\n";
    if (!before.is_null()) out += "-  " + before.dump() + "\n";
    return out + "+  " + after.dump() + "\n";
}

// Returns the rate policies of `behavior` for the changes `percent` and `pods`; empty without such a change.
json rate_policies(const json& changes, const char* percent, const char* pods) {
    json out = json::array();
    const int period_s = changes.value("policy_period_s", 15);
    if (changes.contains(percent))
        out.push_back({{"type", "Percent"}, {"value", changes[percent]}, {"periodSeconds", period_s}});
    if (changes.contains(pods))
        out.push_back({{"type", "Pods"}, {"value", changes[pods]}, {"periodSeconds", period_s}});
    return out;
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

// Returns a value as the annotation's text.
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

// Returns the annotations for changes of the forecast.
json forecast_annotations(const json& changes) {
    json out = json::object();
    for (const forecast_field& field : forecast_fields) {
        if (changes.contains(field.change)) out[field.annotation] = annotation_text(field, changes.at(field.change));
    }
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

namespace {

void change_keda(ordered_json& spec, const json& changes) {
    ordered_json& trigger = spec["triggers"][0]["metadata"];
    if (changes.contains("threshold")) trigger["threshold"] = shown(changes["threshold"]);
    if (changes.contains("activation_threshold")) {
        trigger["activationThreshold"] = shown(changes["activation_threshold"]);
    }
    for (const auto& [name, field] :
         {std::pair{"min", "minReplicaCount"}, std::pair{"max", "maxReplicaCount"},
          std::pair{"cooldown_s", "cooldownPeriod"}, std::pair{"polling_interval_s", "pollingInterval"}}) {
        if (changes.contains(name)) spec[field] = changes[name];
    }
}

void change_hpa(ordered_json& spec, const json& changes) {
    if (changes.contains("min")) spec["minReplicas"] = changes["min"];
    if (changes.contains("max")) spec["maxReplicas"] = changes["max"];
    if (!changes.contains("threshold")) return;
    for (auto& [name, part] : spec["metrics"][0].items()) {
        if (name == "type" || !part.is_object() || !part.contains("target")) continue;
        ordered_json& target = part["target"];
        for (const char* field : {"value", "averageValue"}) {
            if (target.contains(field)) target[field] = shown(changes["threshold"]);
        }
        if (target.contains("averageUtilization")) target["averageUtilization"] = changes["threshold"];
    }
}

void change_behavior(ordered_json& behavior, const json& changes) {
    for (const bool up : {true, false}) {
        const char* direction = up ? "scaleUp" : "scaleDown";
        const char* window = up ? "up_window_s" : "down_window_s";
        if (changes.contains(window)) behavior[direction]["stabilizationWindowSeconds"] = changes[window];
        if (changes.contains("tolerance")) behavior[direction]["tolerance"] = shown(changes["tolerance"]);
        const json rates = rate_policies(changes, up ? "up_percent" : "down_percent", up ? "up_pods" : "down_pods");
        if (!rates.empty()) behavior[direction]["policies"] = rates;
    }
}

// Returns the merge patch (RFC 7386) from `before` to `after`.
ordered_json difference(const ordered_json& before, const ordered_json& after) {
    ordered_json out = ordered_json::object();
    for (const auto& [name, value] : after.items()) {
        const auto old = before.find(name);
        const bool is_new = old == before.end();
        if (!is_new && old->is_object() && value.is_object()) {
            if (ordered_json inner = difference(*old, value); !inner.empty()) out[name] = std::move(inner);
        } else if (is_new || *old != value) {
            out[name] = value;
        }
    }
    return out;
}

}  // namespace

ordered_json merge_patch(const std::string& manifest, const std::string& scaler, const json& changes) {
    if (const std::optional<ordered_json> found = document_of(manifest, scaler)) {
        const ordered_json& document = *found;
        ordered_json after = document;
        ordered_json behavior = ordered_json::object();
        change_behavior(behavior, changes);
        if (document.at("kind") == "ScaledObject") {
            change_keda(after["spec"], changes);
            if (!behavior.empty()) {
                after["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"].merge_patch(behavior);
            }
        } else {
            change_hpa(after["spec"], changes);
            if (!behavior.empty()) after["spec"]["behavior"].merge_patch(behavior);
        }
        if (changes.contains("in_flight_guard")) {
            after["metadata"]["annotations"]["gputide.io/in-flight-guard"] = changes["in_flight_guard"].dump();
        }
        const json annotations = forecast_annotations(changes);
        for (const auto& [name, text] : annotations.items()) {
            after["metadata"]["annotations"][name] = text;
        }
        return difference(document, after);
    }
    return nullptr;
}

std::string patch_command(const json& policy, const ordered_json& patch) {
    const bool is_keda = policy.at("kind") == "ScaledObject";
    return std::string("kubectl patch ") + (is_keda ? "scaledobject " : "hpa ") + text_at(policy, "name") + " -n " +
           text_at(policy, "namespace") + " --type=merge -p " + shell_quoted(patch.dump());
}

std::vector<std::string> newer_fields(const json& changes, field_support tolerance) {
    std::vector<std::string> out;
    if (changes.contains("tolerance") && tolerance != field_support::known) {
        out.emplace_back(
            "behavior's tolerance needs Kubernetes 1.35, or 1.33 with the gate HPAConfigurableTolerance; an older "
            "API server drops it silently");
    }
    if (changes.contains("in_flight_guard")) {
        out.emplace_back("gputide.io/in-flight-guard is gputide's own: KEDA and Kubernetes do not know it");
    }
    return out;
}

}  // namespace gputided
