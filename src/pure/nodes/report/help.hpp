// Suggestions for pods that were not placed, in sentences for people.
#pragma once

#include "nodes/plan.hpp"

#include <string>
#include <vector>

namespace gputide::nodes {

// Returns what the pods of one group, a pool or a limit would have to be.  Empty if all of its pods are placed.
std::vector<std::string> help_for(const cluster& cluster, const plan& plan, std::size_t group);

}  // namespace gputide::nodes
