// Gangs: pods that get their places all at once, or none of them.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>

namespace gputide::nodes {

// Plans the scale-up.  A gang without places for all of its pods, or for its minimum, gets none: the plan is made again
// without it, the gang of the lowest priority first, of equal ones the last.  Fills in what plan_scale_up() fills in, and
// plan::gangs_left.
void plan_gangs(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

}  // namespace gputide::nodes
