// AKS' own words: agent pools and the autoscaler's profile, as `az aks show`, `az aks nodepool list` and ARM print them.
// Facts: Azure/azure-rest-api-specs Microsoft.ContainerService/aks; MicrosoftDocs/azure-aks-docs articles/aks.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

#include <optional>

namespace gputide::nodes {

// Whether it is an agent pool (vmSize, itself or in its properties), or a managed cluster (agentPoolProfiles).
bool is_agent_pool(const value_reader& object);
bool is_managed_cluster(const value_reader& object);

// enableAutoScaling: between minCount and maxCount; without it the pool keeps its count, and says so.
pool read_agent_pool(const value_reader& object);

// "sku=gpu:NoSchedule"; nothing where it is no taint.
std::optional<taint> parse_taint(std::string_view text);

}  // namespace gputide::nodes
