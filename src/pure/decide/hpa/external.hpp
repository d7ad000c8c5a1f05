// External and Object metrics: one number and a target become a replica count.
// kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (GetExternalMetricReplicas,
// GetExternalPerPodMetricReplicas, GetObjectMetricReplicas, GetObjectPerPodMetricReplicas).
#pragma once

#include "decide/hpa/proposal.hpp"
#include "decide/hpa/tolerance.hpp"

#include <cstdint>

namespace gputide::decide {

struct ready_pods {
    std::int32_t count = 0;  // phase Running and condition Ready
    bool any_listed = true;  // false: the selector matched no pod at all, which is an error where the count is needed
};

// Value targets.
//   ratio = usage / target
//   at 0 replicas: ceil(ratio); within the tolerance: spec replicas; else ceil(ratio * ready pods)
// Worked: usage 8.6 against 4.4, 3 replicas, 1 ready → ratio 1.9545 → ceil(1.9545 * 1) = 2.
// Starting pods do not count.  0 ready pods and a ratio outside the band give 0, hence the minimum.
proposal value_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t spec_replicas,
                        const ready_pods& ready, const tolerance& band) noexcept;

// AverageValue targets: nearly every KEDA scaler takes this path.
//   n = status replicas;  ratio = usage / (target * n)        (n = 0: infinity, or NaN where usage is 0)
//   within the tolerance: n; else ceil(usage / target)
// Worked: usage 20.166 against 5, 4 replicas → ratio 1.0083 → 4; per pod ceil(20166m / 4) = 5042m.
//         usage 31 against 5, 6 replicas → ratio 1.0333 → 6;  0 replicas, usage 12 → ceil(2.4) = 3.
proposal average_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t status_replicas,
                          const tolerance& band) noexcept;

}  // namespace gputide::decide
