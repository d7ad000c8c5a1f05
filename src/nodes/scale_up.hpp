// Which pools grow, by how much, for whom.  kubernetes/autoscaler core/scaleup/orchestrator/orchestrator.go.
#pragma once

#include "nodes/plan.hpp"

namespace gputide::nodes {

// Fills passes, groups and the pools' additions of a plan whose nodes and pools are classified already.
void plan_scale_up(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

}  // namespace gputide::nodes
