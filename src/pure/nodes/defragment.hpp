// Defragmentation: moves of running pods that free enough of a node for pods that would otherwise need a new one.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>

namespace gputide::nodes {

// Fills in plan::defragmentation of a plan with a finished scale-up: for each new node with GPUs, and each pod with GPUs that is
// left, it looks for places on existing nodes.  Pods move under the rules of scale-down, a pod with claims of devices
// never; nodes that can be removed now take no part.
void find_defragmentation(const cluster& cluster, const options& how, std::int64_t now_ms, plan& out);

// Lets the plan count on the moves: it has their places, and no longer the nodes that they save.
void apply_defragmentation(plan& out);

}  // namespace gputide::nodes
