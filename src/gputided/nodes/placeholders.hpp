// A plan as placeholder pods: pause pods of a priority below everybody's that take whole nodes, so that whatever autoscaler the
// cluster has adds the nodes of the plan ahead of the pods that will need them; those then push the placeholders out.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

// A PriorityClass, and a Deployment a pool whose nodes have GPUs: as many replicas as the plan adds nodes, also 0, so that what
// an earlier plan asked for goes.  YAML for kubectl apply.
std::string placeholder_pods(const nlohmann::json& plan);

}  // namespace gputided
