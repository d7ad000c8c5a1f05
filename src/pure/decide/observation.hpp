// The facts at one tick: time, sizes and samples.  Borrowed for the call.
#pragma once

#include "base/sample.hpp"
#include "decide/decision.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace gputide::decide {

inline constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();

using gputide::pod_phase;
using gputide::readiness;

struct pod {
    std::string_view name;
    pod_phase phase = pod_phase::running;
    bool deleting = false;
    decide::readiness readiness = decide::readiness::yes;
    std::int64_t start_time_ms = absent;
    std::int64_t ready_change_time_ms = absent;  // Ready condition's lastTransitionTime
};

// One metric's value for one pod.
struct pod_sample {
    std::int32_t metric = 0;              // index into policy.metrics
    std::int32_t pod = -1;                // index into observation.pods; -1: a pod that is not listed
    std::int64_t value_milli = 0;         // absent: only the pod's request is known
    std::int64_t request_milli = absent;  // Utilization: the pod's request
    std::int64_t time_ms = absent;
    std::int32_t window_s = 60;
    std::string_view container;  // the first container without a request, for messages
};

struct observation {
    std::int64_t now_ms = 0;
    std::int32_t spec_replicas = 0;
    std::int32_t status_replicas = -1;  // -1: equal to spec_replicas
    std::int32_t ready_replicas = -1;   // -1: equal to spec_replicas
    bool scale_readable = true;         // false: the target's size could not be read
    std::string_view scale_error;       // why, for messages; "": unknown
    bool lists_pods = false;            // `pods` is the whole list also where it is empty
    // Replicas that have a node, or can get one; -1: all of them, as far as is known.
    std::int32_t startable_replicas = -1;
    bool asks_back = false;        // replicas beyond startable_replicas are not wanted
    std::string_view no_capacity;  // why no more can start, for messages
    // A push of an external scaler, which reports its activity by itself: the executor half runs now as well.  Its period continues
    // unchanged, and so does the count of failures, which counts polls.
    bool executor_is_called = false;
    // One sample per policy.metrics.  For Pods and Resource metrics the values are in pod_samples, and a state other than ok
    // and not_given means that the read failed.
    std::span<const sample> samples;
    std::span<const pod> pods;
    std::span<const pod_sample> pod_samples;
};

// Counts the pods with phase Running and condition Ready, for Value targets.
std::int32_t count_ready(std::span<const pod> pods) noexcept;

// Return the sizes.  A size that the observation omits is that of the spec, or (ready) the count of ready listed pods.
inline std::int32_t status_replicas(const observation& observation) noexcept {
    return observation.status_replicas < 0 ? observation.spec_replicas : observation.status_replicas;
}
inline std::int32_t ready_replicas(const observation& observation) noexcept {
    if (observation.ready_replicas >= 0) return observation.ready_replicas;
    return observation.pods.empty() ? observation.spec_replicas : count_ready(observation.pods);
}

}  // namespace gputide::decide
