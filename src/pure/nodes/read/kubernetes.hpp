// Reads Kubernetes objects as printed by kubectl: Node, Pod, PodDisruptionBudget, and controllers of pods (Job,
// Deployment, ...).
#pragma once

#include "nodes/groups.hpp"
#include "nodes/node.hpp"
#include "nodes/read/values.hpp"

#include <cstdint>
#include <string>

namespace gputide::nodes {

// Its pool is the value of the provider's label (AKS, GKE, EKS, Karpenter).
node read_kubernetes_node(const value_reader& object);

struct placed_pod {
    nodes::pod pod;
    std::string node;    // "": not scheduled yet
    bool gated = false;  // schedulingGates: it requests no node
};
placed_pod read_kubernetes_pod(const value_reader& object);

// Returns the pods that a Job, Deployment, ReplicaSet or StatefulSet would create.
pod_group read_workload(const value_reader& object);

struct disruption_budget {
    std::string name;
    std::string name_space;
    std::vector<requirement> selector;  // empty: every pod in its namespace
    std::int64_t allowed = 0;
};
disruption_budget read_budget(const value_reader& object);
bool covers(const disruption_budget& budget, const pod& pod);

}  // namespace gputide::nodes
