// Kubernetes' own objects, as kubectl prints them: Node, Pod, PodDisruptionBudget, and what makes pods (Job, Deployment, ...).
#pragma once

#include "nodes/groups.hpp"
#include "nodes/node.hpp"
#include "nodes/read/values.hpp"

#include <cstdint>
#include <string>

namespace gputide::nodes {

// Its pool is the label's that the provider writes (AKS, GKE, EKS, Karpenter).
node read_kubernetes_node(const value_reader& object);

struct placed_pod {
    nodes::pod pod;
    std::string node;    // "": nobody placed it yet
    bool gated = false;  // schedulingGates: it asks for no node
};
placed_pod read_kubernetes_pod(const value_reader& object);

// The pods that a Job, Deployment, ReplicaSet or StatefulSet would make.
pod_group read_workload(const value_reader& object);

struct disruption_budget {
    std::string name;
    std::string name_space;
    std::vector<requirement> selector;  // empty: every pod of its namespace
    std::int64_t allowed = 0;
};
disruption_budget read_budget(const value_reader& object);
bool covers(const disruption_budget& one, const pod& pod);

}  // namespace gputide::nodes
