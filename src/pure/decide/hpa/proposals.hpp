// Every metric of a policy becomes a proposal: which formula, which counts, which band.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (computeReplicasForMetric and the functions below it).
#pragma once

#include "decide/hpa/proposal.hpp"
#include "decide/readings.hpp"

#include <cstddef>
#include <span>

namespace gputide::decide {

// How many proposals a policy makes: one per metric; with scalingModifiers all External ones are a single composite-metric.
std::size_t proposal_count(const policy& policy) noexcept;

// Fills `out`, which has proposal_count() elements, in the order in which the HPA reads its metrics.
void propose_all(const policy& policy, const observation& observation, const readings& readings,
                 std::span<proposal> out);

}  // namespace gputide::decide
