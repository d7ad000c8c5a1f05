// Pods that need no new node: they fit one that is there, or one that is on its way.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>
#include <vector>

namespace gputide::nodes {

// Places what fits and notes it in each group's result: on_existing, on_nodes, left.  Priority first; within one, the packing
// order where pods are packed by GPU (so that what was planned finds its place again), else the input's.
void place_on_existing(const cluster& cluster, const options& how, const plan& known,
                       std::vector<group_result>& groups);

// The nodes that are there, with the pending pods that have room on them behind their own.
std::vector<node> with_expected_pods(const cluster& cluster, const plan& plan);

// The order by which a pool's nodes are packed.
packing_order order_for(const node_shape& shape, const options& how);

}  // namespace gputide::nodes
