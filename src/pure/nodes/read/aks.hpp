// Reads AKS formats: agent pools and the autoscaler's profile, as printed by `az aks show`, `az aks nodepool list` and
// ARM.
// Facts: Azure/azure-rest-api-specs Microsoft.ContainerService/aks; MicrosoftDocs/azure-aks-docs articles/aks.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

#include <optional>

namespace gputide::nodes {

// Tells whether it is an agent pool (vmSize, at the top level or in properties), or a managed cluster
// (agentPoolProfiles).
bool is_agent_pool(const value_reader& object);
bool is_managed_cluster(const value_reader& object);

// enableAutoScaling: between minCount and maxCount; without it the pool keeps its count, with a finding.
pool read_agent_pool(const value_reader& object);

// Parses "sku=gpu:NoSchedule"; nothing for an invalid taint.
std::optional<taint> parse_taint(std::string_view text);

}  // namespace gputide::nodes
