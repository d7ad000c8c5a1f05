// Per-pod metrics (Pods, Resource, ContainerResource) in a replay: a series has their mean, and each pod of the
// replayed workload gets it as its own value.  Values in, values out.
#pragma once

#include "decide/observation.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::replay {

bool is_per_pod(const decide::metric_policy& metric) noexcept;
bool has_per_pod(const decide::policy& policy) noexcept;

// AverageValue of a total: its target is that of one replica.  A pod's own value is already that of one replica.
bool is_shared_by_replicas(const decide::metric_policy& metric) noexcept;

struct pod_view {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;

    // Returns `ready` pods with all per-pod values of `metrics`, and `starting` pods that are not ready and have none.
    // A Utilization is reported as usage of a request of 100, which starting pods have, too.
    void look(const decide::policy& policy, std::span<const sample> metrics, std::int32_t ready, std::int32_t starting,
              std::int64_t now_ms);
};

}  // namespace gputide::replay
