// The pods of a workload, and the value of one metric for each pod. source/ returns them; decide/ uses them for Pods and
// Resource metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide {

// The numbers are those of gputide.h; 0 means unknown.
enum class pod_phase : std::int32_t { running = 1, pending = 2, succeeded = 3, failed = 4, unknown = 5 };
// unknown: the condition Ready has the status Unknown.  The HPA counts such a pod as ready for cpu, and as not ready
// for a Value target.
enum class readiness : std::int32_t { yes = 1, no = 2, no_condition = 3, unknown = 4 };

struct pod_state {
    std::string name;
    pod_phase phase = pod_phase::unknown;
    bool deleting = false;
    gputide::readiness readiness = gputide::readiness::no_condition;
    std::optional<std::int64_t> start_time_ms;         // Unix
    std::optional<std::int64_t> ready_change_time_ms;  // Ready condition's lastTransitionTime
};

struct pod_value {
    std::string pod;                            // name of the pod; need not be in the list of pods
    std::optional<std::int64_t> value_milli;    // nothing: the pod has only a request
    std::optional<std::int64_t> request_milli;  // for Utilization
    std::optional<std::int64_t> time_ms;
    std::int32_t window_s = 60;
    std::string container;  // without request_milli: the first container without a request; "": a request of the pod
};

// The pods' values of one metric at one time.
struct pod_reading {
    std::vector<pod_state> pods;
    std::vector<pod_value> values;
};

}  // namespace gputide
