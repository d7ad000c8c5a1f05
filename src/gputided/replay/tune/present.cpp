// The current values of a manifest's settings, including defaults, and which fields its cluster knows.
#include "common/text.hpp"
#include "replay/tune/tune.hpp"

#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

namespace gputided {

json at_path(const json& object, std::initializer_list<const char*> path) {
    const json* at = &object;
    for (const char* name : path) {
        if (!at->is_object() || !at->contains(name)) return nullptr;
        at = &at->at(name);
    }
    return *at;
}

namespace {

bool is_scaler(const ordered_json& document, const std::string& scaler) {
    if (!document.is_object()) return false;
    const std::string kind = document.value("kind", "");
    if (kind != "ScaledObject" && kind != "HorizontalPodAutoscaler") return false;
    const ordered_json about = document.value("metadata", ordered_json::object());
    return about.value("namespace", "default") + "/" + about.value("name", "") == scaler;
}

}  // namespace

std::optional<ordered_json> document_of(const std::string& manifest, const std::string& scaler) {
    for (ordered_json& document : documents_of(manifest)) {
        if (is_scaler(document, scaler)) return std::move(document);
    }
    return std::nullopt;
}

namespace {

// kubernetes/kubernetes: KEP 4951, behavior.*.tolerance: alpha in 1.33, beta in 1.35.
constexpr int tolerance_alpha = 33;
constexpr int tolerance_beta = 35;

json first_known(json preferred, json other) { return preferred.is_null() ? std::move(other) : std::move(preferred); }

// Returns the tolerance if it is the same for both directions, otherwise null.
json present_tolerance(const json& policy) {
    const json general = at_path(policy, {"controller", "tolerance"});
    const json up = first_known(at_path(policy, {"behavior", "scaleUp", "tolerance"}), general);
    const json down = first_known(at_path(policy, {"behavior", "scaleDown", "tolerance"}), general);
    return up == down ? up : json();
}

// Returns the value of a direction's only rate policy if it has this type and period, otherwise null.
json present_rate(const json& policy, const char* direction, const char* type, int period_s) {
    const json rates = at_path(policy, {"behavior", direction, "policies"});
    if (!rates.is_array() || rates.size() != 1) return nullptr;
    const bool is_same = rates[0].at("type") == type && rates[0].at("periodSeconds") == period_s;
    return is_same ? rates[0].at("value") : json();
}

json present_behavior(const json& policy, const std::string& name, const json& changes) {
    const int period_s = changes.value("policy_period_s", 15);
    if (name == "tolerance") return present_tolerance(policy);
    if (name == "up_window_s") {
        return first_known(at_path(policy, {"behavior", "scaleUp", "stabilizationWindowSeconds"}), 0);
    }
    if (name == "down_window_s") {
        return first_known(at_path(policy, {"behavior", "scaleDown", "stabilizationWindowSeconds"}),
                           at_path(policy, {"controller", "downscaleStabilizationSeconds"}));
    }
    // Two policies for a direction replace the list.
    const bool both_up = changes.contains("up_percent") && changes.contains("up_pods");
    const bool both_down = changes.contains("down_percent") && changes.contains("down_pods");
    if (name == "up_percent" && !both_up) return present_rate(policy, "scaleUp", "Percent", period_s);
    if (name == "up_pods" && !both_up) return present_rate(policy, "scaleUp", "Pods", period_s);
    if (name == "down_percent" && !both_down) return present_rate(policy, "scaleDown", "Percent", period_s);
    if (name == "down_pods" && !both_down) return present_rate(policy, "scaleDown", "Pods", period_s);
    return nullptr;
}

// Returns the value that a change would replace, including defaults; null if it is unknown or not a single value.
json present_value(const json& policy, const std::string& name, const json& changes) {
    const json& metric = policy.at("metrics").at(0);
    const bool is_keda = policy.at("kind") == "ScaledObject";
    if (name == "threshold") return policy.contains("scalingModifiers") ? json() : metric.value("target", json());
    if (name == "activation_threshold") return metric.value("activationThreshold", json(0));
    if (name == "min") return policy.value(is_keda ? "minReplicaCount" : "minReplicas", json());
    if (name == "max") return policy.value(is_keda ? "maxReplicaCount" : "maxReplicas", json());
    if (name == "cooldown_s") return policy.value("cooldownPeriod", json());
    if (name == "polling_interval_s") return policy.value("pollingInterval", json());
    if (name == "sync_period_ms") return policy.value("syncPeriodMs", json());
    return present_behavior(policy, name, changes);
}

}  // namespace

json without_present_values(const json& policy, json changes) {
    for (auto change = changes.begin(); change != changes.end();) {
        const json now = present_value(policy, change.key(), changes);
        change = !now.is_null() && now == change.value() ? changes.erase(change) : std::next(change);
    }
    return changes;
}

std::string changes_text(const json& changes) {
    std::vector<std::string> parts;
    for (const auto& [name, value] : changes.items())
        parts.push_back(name + "=" + (value.is_null() ? "none" : shown(value)));
    return parts.empty() ? "no change" : joined(parts, ", ");
}

field_support tolerance_support(const std::string& manifest, const std::string& scaler) {
    const std::optional<ordered_json> document = document_of(manifest, scaler);
    if (!document) return field_support::unknown;
    const ordered_json about = document->value("metadata", ordered_json::object());
    const ordered_json notes = about.value("annotations", ordered_json::object());
    const bool is_keda = document->at("kind") == "ScaledObject";
    const json rules = is_keda ? at_path(*document, {"spec", "advanced", "horizontalPodAutoscalerConfig", "behavior"})
                               : at_path(*document, {"spec", "behavior"});
    for (const char* direction : {"scaleUp", "scaleDown"}) {
        if (!at_path(rules, {direction, "tolerance"}).is_null()) return field_support::known;
    }
    const std::string version = shown(notes.value("gputide.io/hpa-version", ordered_json("")));
    const std::optional<double> minor = number_in(version.substr(version.find('.') + 1));
    if (version.find('.') == std::string::npos || !minor) return field_support::unknown;
    return *minor >= tolerance_beta   ? field_support::known
           : *minor < tolerance_alpha ? field_support::missing
                                      : field_support::unknown;
}

}  // namespace gputided
