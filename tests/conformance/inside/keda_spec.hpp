// Parts of a ScaledObject as the keda-* files write them, as values.  All of these cases run in the strict profile.
#pragma once

#include "config/scaling.hpp"
#include "decide/policy.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace conformance {

using json = nlohmann::json;

std::optional<gputide::config::fallback> fallback_of(const json& block);  // null: nothing
gputide::config::scaling_modifiers modifiers_of(const json& block);
gputide::config::target_type target_type_of(const std::string& word);

// By the case's keda_version; a case without one holds for every release, or is older than 2.21.
gputide::config::original_versions keda_versions_of(const json& one);

// minReplicaCount, maxReplicaCount, idleReplicaCount, cooldownPeriod, initialCooldownPeriod, fallback.
gputide::config::scaling executor_spec_of(const json& one);

// One trigger of the type at that place of the list: "s0-prometheus"; cpu and memory are Resource metrics.
gputide::decide::metric_policy metric_of(const std::string& type, const std::string& name, std::size_t at);

}  // namespace conformance
