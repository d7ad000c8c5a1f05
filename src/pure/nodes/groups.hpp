// Gangs: pods that get their places all at once, or none of them.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>

namespace gputide::nodes {

// Plans the scale-up in one order.  Gangs join the plan by priority, and in the order of their first pods: a gang that would leave itself
// or an earlier one without all of its places, or its minimum, gets none.  Fills in what scale_up_in_order() fills in,
// and plan::gangs_left.
void plan_gangs(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

}  // namespace gputide::nodes
