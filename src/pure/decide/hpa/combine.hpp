// Several metrics' proposals become one recommendation.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (computeReplicasForMetrics).
#pragma once

#include "decide/hpa/proposal.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

struct combined {
    bool valid = false;         // false: nothing may be done on these metrics
    std::int32_t replicas = 0;  // the raw recommendation where valid; below 0 counts as 0
    std::int32_t winner = -1;   // position of the metric that won
    std::int32_t failed = 0;
    std::int32_t first_failed = -1;
};

// The largest proposal wins, ties go to the earlier metric.  Any failed metric forbids scaling down; staying and scaling up go
// on with the metrics that work.
//   not valid where all failed, or where any failed and the best is below the current size
// Worked: size 5; 3 and an error → not valid;  size 3; 4 and an error → 4, with the error reported beside it.
combined combine_proposals(std::span<const proposal> metrics, std::int32_t spec_replicas) noexcept;

}  // namespace gputide::decide
