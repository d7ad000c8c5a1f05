// Gangs: groups of pods of which either all get a place, or none.
#pragma once

#include "nodes/plan.hpp"

#include <cstdint>

namespace gputide::nodes {

// Plans the scale-up.  Gangs are added by priority, then in the order of their first pods.  A gang gets no place if with it
// this or an earlier gang would lack some of its places, or its minimum.  Fills in the members that plan_scale_up() fills in,
// and plan::gangs_left.
void plan_gangs(const cluster& cluster, const options& how, std::int64_t now_ms, const state& before, plan& out);

}  // namespace gputide::nodes
