// The pods of a workload and one metric's value of each.  What source/ gives and decide/ takes for Pods and Resource metrics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide {

enum class pod_phase : std::int32_t { running = 0, pending = 1, succeeded = 2, failed = 3, unknown = 4 };
enum class readiness : std::int32_t { yes = 0, no = 1, no_condition = 2 };

struct pod_state {
    std::string name;
    pod_phase phase = pod_phase::unknown;
    bool deleting = false;
    gputide::readiness readiness = gputide::readiness::no_condition;
    std::optional<std::int64_t> start_time_ms;         // Unix
    std::optional<std::int64_t> ready_change_time_ms;  // Ready condition's lastTransitionTime
};

struct pod_value {
    std::string pod;                            // its name; it need not be listed
    std::optional<std::int64_t> value_milli;    // nothing: no metric of this pod, only its request is told
    std::optional<std::int64_t> request_milli;  // for Utilization
    std::optional<std::int64_t> time_ms;
    std::int32_t window_s = 60;
};

// Of one metric at one time.
struct pod_reading {
    std::vector<pod_state> pods;
    std::vector<pod_value> values;
};

}  // namespace gputide
