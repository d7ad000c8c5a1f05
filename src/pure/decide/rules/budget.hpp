// Beyond the originals (gputide.io/max-gpus, /max-cost-per-hour): a budget as one more upper bound.
#pragma once

#include "decide/policy.hpp"

#include <cstdint>

namespace gputide::decide {

// The most replicas that the budget pays for; int32 max where there is none.
//   by GPUs: max_gpus / gpus_per_replica;  by cost: max_cost_per_hour / (cost_per_gpu_hour * gpus_per_replica); the smaller
// Both are cut to whole replicas.
// Worked: 10 GPUs, 4 per replica → 2;  30 per hour, 3.6 per GPU hour, 2 per replica → 30 / 7.2 = 4.17 → 4.
std::int32_t affordable_replicas(const config::extra_rules& rules) noexcept;

// max under the budget.  The minimum is the operator's word and stays: 3..10 with a budget of 2 gives 3.
std::int32_t max_within_budget(const config::scaling& scaling) noexcept;

}  // namespace gputide::decide
