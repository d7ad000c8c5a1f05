#include "replay/tune/patch.hpp"

#include "common/yaml.hpp"
#include "replay/tune/diff.hpp"

namespace gputided {
namespace {

using nlohmann::ordered_json;

bool is_scaler(const ordered_json& document, const std::string& scaler) {
    if (!document.is_object()) return false;
    const std::string kind = document.value("kind", "");
    if (kind != "ScaledObject" && kind != "HorizontalPodAutoscaler") return false;
    const ordered_json about = document.value("metadata", ordered_json::object());
    return about.value("namespace", "default") + "/" + about.value("name", "") == scaler;
}

// A quantity in Kubernetes' words: text.
ordered_json text_of(const nlohmann::json& number) {
    return number.is_string() ? number.get<std::string>() : number.dump();
}

void change_keda(ordered_json& spec, const nlohmann::json& changes) {
    ordered_json& trigger = spec["triggers"][0]["metadata"];
    if (changes.contains("threshold")) trigger["threshold"] = text_of(changes["threshold"]);
    if (changes.contains("activation_threshold")) {
        trigger["activationThreshold"] = text_of(changes["activation_threshold"]);
    }
    for (const auto& [name, field] :
         {std::pair{"min", "minReplicaCount"}, std::pair{"max", "maxReplicaCount"},
          std::pair{"cooldown_s", "cooldownPeriod"}, std::pair{"polling_interval_s", "pollingInterval"}}) {
        if (changes.contains(name)) spec[field] = changes[name];
    }
}

void change_hpa(ordered_json& spec, const nlohmann::json& changes) {
    if (changes.contains("min")) spec["minReplicas"] = changes["min"];
    if (changes.contains("max")) spec["maxReplicas"] = changes["max"];
    if (!changes.contains("threshold")) return;
    for (auto& [name, part] : spec["metrics"][0].items()) {
        if (name == "type" || !part.is_object() || !part.contains("target")) continue;
        ordered_json& target = part["target"];
        for (const char* field : {"value", "averageValue"}) {
            if (target.contains(field)) target[field] = text_of(changes["threshold"]);
        }
        if (target.contains("averageUtilization")) target["averageUtilization"] = changes["threshold"];
    }
}

void change_behavior(ordered_json& behavior, const nlohmann::json& changes) {
    for (const bool up : {true, false}) {
        const char* direction = up ? "scaleUp" : "scaleDown";
        const char* window = up ? "up_window_s" : "down_window_s";
        if (changes.contains(window)) behavior[direction]["stabilizationWindowSeconds"] = changes[window];
        if (changes.contains("tolerance")) behavior[direction]["tolerance"] = text_of(changes["tolerance"]);
        const nlohmann::json rates =
            rate_policies(changes, up ? "up_percent" : "down_percent", up ? "up_pods" : "down_pods");
        if (!rates.empty()) behavior[direction]["policies"] = rates;
    }
}

// RFC 7386 the other way round: what makes `after` of `before`.
ordered_json difference(const ordered_json& before, const ordered_json& after) {
    ordered_json out = ordered_json::object();
    for (const auto& [name, value] : after.items()) {
        const auto former = before.find(name);
        const bool is_new = former == before.end();
        if (!is_new && former->is_object() && value.is_object()) {
            if (ordered_json inner = difference(*former, value); !inner.empty()) out[name] = std::move(inner);
        } else if (is_new || *former != value) {
            out[name] = value;
        }
    }
    return out;
}

}  // namespace

nlohmann::ordered_json merge_patch(const std::string& manifest, const std::string& scaler,
                                   const nlohmann::json& changes) {
    for (const ordered_json& document : documents_of(manifest)) {
        if (!is_scaler(document, scaler)) continue;
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
        const nlohmann::json annotations = forecast_annotations(changes);
        for (const auto& [name, text] : annotations.items()) {
            after["metadata"]["annotations"][name] = text;
        }
        return difference(document, after);
    }
    return nullptr;
}

// kubernetes/kubernetes: KEP 4951, behavior.*.tolerance: alpha in 1.33, beta in 1.35.
std::vector<std::string> newer_fields(const nlohmann::json& changes) {
    std::vector<std::string> out;
    if (changes.contains("tolerance")) {
        out.emplace_back(
            "behavior's tolerance needs Kubernetes 1.35, or 1.33 with the gate HPAConfigurableTolerance; an older "
            "API server drops it without a word");
    }
    if (changes.contains("in_flight_guard")) {
        out.emplace_back("gputide.io/in-flight-guard is gputide's own: KEDA and Kubernetes do not know it");
    }
    return out;
}

}  // namespace gputided
