// What would help pods that found no place, in sentences for a person.
#pragma once

#include "nodes/plan.hpp"

#include <string>
#include <vector>

namespace gputide::nodes {

// Of one group: what the pods, a pool or a limit would have to be.  Empty where all of its pods have a place.
std::vector<std::string> help_for(const cluster& cluster, const plan& plan, std::size_t group);

}  // namespace gputide::nodes
