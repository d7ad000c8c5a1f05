// Forms of a plan of gputide_nodes_plan.
#pragma once

#include "common/json.hpp"

#include <string>

namespace gputided {

// Returns what to add and to remove, a line per pool, and what is left.
std::string plan_text(const json& plan);

// Returns for every group why it fits no pool and what would help, and for every node why it stays.  only: the name of a group or
// node, or how their names begin; "": all.  Empty: nothing has that name.
std::string explain_text(const json& plan, const std::string& only);

// Returns the plan as one HTML file: GPUs by node before and after, the cost, and every reason.
std::string plan_page(const json& plan);

// Returns placeholder pods as YAML for kubectl apply: pause pods with a very low priority that take whole nodes.  The cluster's own
// autoscaler adds the nodes for them; pods that need the nodes evict them.  A PriorityClass, and a Deployment per pool with GPUs
// whose replicas are the nodes to add, also 0: this removes what an earlier plan requested.
std::string placeholder_pods(const json& plan);

// Returns CapacityBuffers as YAML for kubectl apply: a PodTemplate that takes a whole node and a CapacityBuffer for each pool with
// GPUs; its replicas are the nodes to add, also 0.  cluster-autoscaler keeps that much capacity without pods that hold it.
std::string capacity_buffers(const json& plan);

}  // namespace gputided
