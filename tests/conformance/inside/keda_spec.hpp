// Parts of a ScaledObject as the keda-* files write them, as values.  All of these cases run in the strict profile.
#pragma once

#include "decide/policy.hpp"
#include "manifest/scaling.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace conformance {

using json = nlohmann::json;

std::optional<gputide::manifest::fallback> fallback_of(const json& block);  // null: nothing
gputide::manifest::scaling_modifiers modifiers_of(const json& block);
gputide::manifest::target_type target_type_of(const std::string& word);

// By the case's keda_version; a case without one holds for every release, or is older than 2.21.
gputide::manifest::original_versions keda_versions_of(const json& object);

// minReplicaCount, maxReplicaCount, idleReplicaCount, cooldownPeriod, initialCooldownPeriod, fallback.
gputide::manifest::scaling executor_spec_of(const json& object);

// One trigger of the type at that place of the list: "s0-prometheus"; cpu and memory are Resource metrics.
gputide::decide::metric_policy metric_of(const std::string& type, const std::string& name, std::size_t at);

}  // namespace conformance
