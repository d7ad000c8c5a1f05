// Which pods count: ready, unready, missing a metric, or ignored.
// kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (groupPods).
#pragma once

#include "decide/observation.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

enum class pod_group : std::int32_t { ready = 0, unready = 1, missing = 2, ignored = 3 };

// What grouping depends on besides the pod: the time, the controller's two periods for starting pods, and its version.
struct grouping {
    std::int64_t now_ms = 0;
    std::int64_t cpu_initialization_ms = 300'000;
    std::int64_t initial_readiness_ms = 30'000;
    bool ignores_succeeded = false;  // from Kubernetes 1.38 on
};

// The first that matches:
//   1. deleting, or phase Failed (from 1.38 on Succeeded, too) → ignored
//   2. phase Pending                              → unready
//   3. no metric                                  → missing
//   4. resource cpu: no Ready condition or no start time → unready; while start + cpu_initialization > now: unready where
//      Ready is False or the sample is older than the Ready change plus its window; later: unready where Ready is False
//      and start + initial_readiness > the Ready change (it has never been ready)
//   5. ready
// Worked (4): started 60 s ago, ready 30 s ago, sample of now with a window of 30 s → -30 + 30 = 0, not older → ready.
// `sample`: the pod's sample of this metric; null or without a value: missing.
pod_group group_of(const pod& pod, const pod_sample* sample, bool cpu, const grouping& by) noexcept;

// A sample that carries a metric and not only the pod's request.
inline bool has_value(const pod_sample* sample) noexcept { return sample != nullptr && sample->value_milli != absent; }

// Pods with phase Running and condition Ready, as Value targets count them.
std::int32_t count_ready(std::span<const pod> pods) noexcept;

}  // namespace gputide::decide
