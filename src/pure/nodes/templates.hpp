// Node templates of pools that have none.
#pragma once

#include "nodes/node.hpp"

#include <span>

namespace gputide::nodes {

// Returns a ready node of the pool as a template: without its name, the taints of starting and stopping and its pods;
// its DaemonSets and mirror pods are kept, as every node of the pool will have them.
node_shape template_of(const node& node);

// Gives pools without a shape that of their first ready node.
void complete_templates(std::vector<pool>& pools, std::span<const node> nodes);

}  // namespace gputide::nodes
