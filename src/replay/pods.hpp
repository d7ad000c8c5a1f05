// Metrics of each pod (Pods, Resource, ContainerResource) in a replay: a series has their mean, and the replayed workload's pods have
// it one by one.  Values in, values out.
#pragma once

#include "decide/observation.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::replay {

bool is_per_pod(const decide::metric_policy& metric) noexcept;
bool has_per_pod(const decide::policy& policy) noexcept;

// AverageValue of a number for all: its target is that of one replica.  A pod's own value is one replica's already.
bool is_shared_by_replicas(const decide::metric_policy& metric) noexcept;

struct pod_view {
    std::vector<decide::pod> pods;
    std::vector<decide::pod_sample> samples;

    // `ready` pods that have every per-pod value of `metrics` that there is, and `starting` ones that are not ready and have none.
    // A Utilization is told as usage of a request of 100, which those that start have, too.
    void look(const decide::policy& policy, std::span<const sample> metrics, std::int32_t ready, std::int32_t starting,
              std::int64_t now_ms);
};

}  // namespace gputide::replay
