// What a pool's next node will look like, where nobody wrote it down.
#pragma once

#include "nodes/node.hpp"

#include <span>

namespace gputide::nodes {

// A ready node of the pool as a template: its own name, the taints of starting and stopping and its pods left out, its
// DaemonSets and mirror pods kept as what every node of it will carry.
node_shape template_of(const node& one);

// Pools without a shape take that of their first ready node.
void complete_templates(std::vector<pool>& pools, std::span<const node> nodes);

}  // namespace gputide::nodes
