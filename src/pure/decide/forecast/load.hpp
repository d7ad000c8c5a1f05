// What must be served in total, from what a pass read: the unit that a forecast counts in.
#pragma once

#include "decide/hpa/proposal.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"

#include <span>

namespace gputide::decide {

//   External and Object, AverageValue: the metric;  Value: the metric · ready pods
//   Pods, AverageValue: the sum over the pods that count;  Utilization: the percentage · ready pods
// Worked: 84 % of 10 ready pods → 840, at target 60 → 14 replicas.
// no_number where the metric failed, fell back, is held by a no-data rule or is below 0.  `proposals`: this pass' own, empty where
// it made none.
double load_of(const policy& policy, const observation& observation, const readings& readings,
               std::span<const proposal> proposals) noexcept;

}  // namespace gputide::decide
