// Decides which nodes are removable: now, later, or why not.  kubernetes/autoscaler core/scaledown/planner/planner.go.
#pragma once

#include "nodes/plan.hpp"

namespace gputide::nodes {

// Fills in the nodes' results and the pools' removals of a plan with a finished scale-up; records since when nodes are
// unneeded.
void plan_scale_down(const cluster& cluster, const options& how, std::int64_t now_ms, state& before, plan& out);

}  // namespace gputide::nodes
