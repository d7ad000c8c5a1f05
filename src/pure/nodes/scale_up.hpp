// Decides which pools grow, by how much, for which pods.  kubernetes/autoscaler
// core/scaleup/orchestrator/orchestrator.go.
#pragma once

#include "nodes/plan.hpp"

namespace gputide::nodes {

// Fills in passes, groups and the pools' additions of a plan with classified nodes and pools.
void plan_scale_up(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

}  // namespace gputide::nodes
