// Karpenter's NodePools as pools: one for each size that a NodePool's requirements allow, all of them under its limits.
// Rules: kubernetes-sigs/karpenter pkg/apis/v1/nodepool.go; labels of sizes: Azure/karpenter-provider-azure pkg/apis/v1beta1/labels.go.
#pragma once

#include "nodes/options.hpp"
#include "nodes/read/values.hpp"

#include <string>
#include <vector>

namespace gputide::nodes {

struct node_pool {
    std::string name;
    node_shape shape;                     // labels and taints of each of its nodes
    std::vector<pool> pools;              // "name/Standard_NC40ads_H100_v5", of the known sizes
    std::vector<resource_bounds> bounds;  // limits of all its nodes together
    std::int64_t weight = 0;
};

// Parses karpenter.sh, v1 or v1beta1.
node_pool read_node_pool(const value_reader& object);

// Adds pools, bounds and weight to those of the plan: a weight becomes a number of the `priority` expander.  Nodes of a
// NodePool are counted by size; a size that is known only from a node has that node as its template.
void join_node_pools(std::vector<node_pool>& all, std::vector<pool>& pools, std::vector<node>& nodes, options& how);

}  // namespace gputide::nodes
