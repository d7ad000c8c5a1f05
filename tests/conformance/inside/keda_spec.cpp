// keda_spec.hpp: JSON of the keda-* files → spec and metrics.
#include "inside/keda_spec.hpp"

#include <map>

namespace conformance {

namespace {

using gputide::manifest::fallback_behavior;

std::optional<std::int32_t> number_of(const json& object, const char* name) {
    if (!object.contains(name) || object.at(name).is_null()) return std::nullopt;
    return object.at(name).get<std::int32_t>();
}

fallback_behavior behavior_of(const std::string& word) {
    static const std::map<std::string, fallback_behavior> words{
        {"", fallback_behavior::fixed},
        {"static", fallback_behavior::fixed},
        {"currentReplicas", fallback_behavior::current_replicas},
        {"currentReplicasIfHigher", fallback_behavior::current_replicas_if_higher},
        {"currentReplicasIfLower", fallback_behavior::current_replicas_if_lower},
        {"scalingModifiers", fallback_behavior::scaling_modifiers},
    };
    return words.at(word);
}

}  // namespace

std::optional<gputide::manifest::fallback> fallback_of(const json& block) {
    if (block.is_null()) return std::nullopt;
    gputide::manifest::fallback out;
    out.failure_threshold = block.at("failureThreshold").get<std::int32_t>();
    out.replicas = block.at("replicas").get<std::int32_t>();
    out.behavior = behavior_of(block.value("behavior", ""));
    return out;
}

gputide::manifest::target_type target_type_of(const std::string& word) {
    if (word == "Value") return gputide::manifest::target_type::value;
    if (word == "Utilization") return gputide::manifest::target_type::utilization;
    return gputide::manifest::target_type::average_value;
}

gputide::manifest::scaling_modifiers modifiers_of(const json& block) {
    gputide::manifest::scaling_modifiers out;
    out.formula = block.value("formula", "");
    out.target = block.value("target", "");
    out.activation_target = block.value("activationTarget", "");
    out.metric_type = target_type_of(block.value("metricType", ""));
    return out;
}

gputide::manifest::original_versions keda_versions_of(const json& object) {
    gputide::manifest::original_versions out;
    const std::string version = object.value("keda_version", "2.20");
    out.keda = gputide::manifest::read_version(gputide::manifest::original::keda, version).value();
    return out;
}

gputide::manifest::scaling executor_spec_of(const json& object) {
    gputide::manifest::scaling out;
    out.extra.profile = gputide::manifest::profile::strict;
    out.min = number_of(object, "minReplicaCount");
    out.max = number_of(object, "maxReplicaCount").value_or(100);
    out.idle = number_of(object, "idleReplicaCount");
    out.cooldown_s = number_of(object, "cooldownPeriod").value_or(300);
    out.initial_cooldown_s = number_of(object, "initialCooldownPeriod").value_or(0);
    out.fallback = fallback_of(object.value("fallback", json()));
    return out;
}

gputide::decide::metric_policy metric_of(const std::string& type, const std::string& name, std::size_t at) {
    gputide::decide::metric_policy out;
    const bool resource = type == "cpu" || type == "memory";
    out.name = resource ? type : "s" + std::to_string(at) + "-" + type;
    out.user_name = name;
    out.kind = resource ? gputide::decide::metric_kind::resource : gputide::decide::metric_kind::external;
    out.decides_activity = !resource;
    return out;
}

}  // namespace conformance
