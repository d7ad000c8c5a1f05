// Beyond the originals (gputide.io/in-flight-guard): replicas that are starting count as capacity, so that a GPU signal which
// only the ready ones carry neither over-scales nor takes back what is still starting.
#pragma once

#include "decide/hpa/proposal.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"

namespace gputide::decide {

// For signals that are a mean over the serving replicas: Value targets, Pods and Resource metrics.  An AverageValue target of
// an External metric divides a total and needs no guard: usage / target does not grow with the replicas.
//
// While capacity = max(spec, status) is above ready, and the ratio asks for more:
//   served = ratio * ready / capacity         what the ratio becomes when the same load spreads over all that starts
//   served within the band or below it → spec replicas
//   else the proposal as it is, but never below spec replicas
// Worked: 7 replicas, 4 ready, ratio 1.9 → 1.9 * 4 / 7 = 1.086, within 0.1 → 7 (unguarded: ceil(7.6) = 8);
//         ratio 1.3 → served 0.743 → 7 (unguarded: ceil(5.2) = 6, which would stop a replica that is needed);
//         ratio 2.2 → served 1.257 → ceil(2.2 * 4) = 9.
void guard_in_flight(const policy& policy, const observation& observation, const metric_policy& metric,
                     proposal& proposal) noexcept;

}  // namespace gputide::decide
