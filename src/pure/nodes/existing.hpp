// Pods that need no new node: they fit an existing or upcoming one.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>
#include <vector>

namespace gputide::nodes {

// Places fitting pods and records them in each group's result: on_existing, on_nodes, left.  By priority; within one,
// in packing order if pods are packed by GPU (so that a plan is stable), else in the input's order.
void place_on_existing(const cluster& cluster, const options& how, const plan& known,
                       std::vector<group_result>& groups);

// Returns the existing nodes, with the pending pods that fit added to their own.
std::vector<node> with_expected_pods(const cluster& cluster, const plan& plan);

// Returns the order in which a pool's nodes are packed.
packing_order order_for(const node_shape& shape, const options& how);

}  // namespace gputide::nodes
