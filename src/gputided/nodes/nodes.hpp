// Output formats of a plan of gputide_nodes_plan.
#pragma once

#include "common/json.hpp"

#include <string>

namespace gputided {

// Returns the nodes to add and remove, one line per pool, and the pods that cannot be placed.
std::string plan_text(const json& plan);

// Returns for each group why it fits no pool and what would help, and for each node why it stays.  only: a group or node, or the
// beginning of its name; "": all.  Returns "" if no name matches.
std::string explain_text(const json& plan, const std::string& only);

// Returns the plan as an HTML file: GPUs by node before and after, the cost, and every reason.
std::string plan_page(const json& plan);

// Returns YAML for kubectl apply: a PriorityClass with a very low priority, and per pool with GPUs a Deployment of pause pods
// that take whole nodes.  The cluster's autoscaler adds nodes for these pods, and pods that need the nodes evict them.
// `replicas` is the number of nodes to add; also 0, which removes the pods of an earlier plan.
std::string placeholder_pods(const json& plan);

// Returns YAML for kubectl apply: per pool with GPUs a PodTemplate that takes a whole node and a CapacityBuffer.  `replicas` is
// the number of nodes to add, also 0. cluster-autoscaler keeps this capacity free without pods that hold it.
std::string capacity_buffers(const json& plan);

}  // namespace gputided
