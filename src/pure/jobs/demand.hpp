// Computes the demand for Jobs from trigger values: kedacore/keda pkg/scaling/scaledjob/metrics.go and
// pkg/scaling/scale_handler.go (getScaledJobMetrics); limits on the number of Jobs: apis/keda/v1alpha1/scaledjob_types.go.
// Pure.  Compiled without contraction, because the last bit matters.
#pragma once

#include "manifest/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::jobs {

inline constexpr std::int64_t default_max = 100;  // default of maxReplicaCount

struct bounds {
    std::int64_t min = 0;       // minimum that is always kept
    std::int64_t headroom = 0;  // jobs above min
    std::int64_t cap = 0;       // maximum of unfinished jobs, for the strategies default, accurate and eager
};

// Computes the bounds.  Example: min 2, max 10 → 2, 8, 10.  Strict profile, as in KEDA: min above max gives max, max, 2 ×
// max; without a max, min is not deducted: min 5 → 5, 100, 105.  Otherwise the cap is max, or max(100, min) without a max,
// and min is limited to the cap.
bounds bounds_of(const manifest::scaled_job& job);

// One value of a metric, in thousandths.
struct metric_value {
    std::string name;
    std::int64_t milli = 0;
};

// One metric of a trigger's metric spec with its values.
struct metric_reading {
    std::string name;
    std::optional<std::int64_t> target_milli;  // averageValue; nothing: counts as 0 in the mean
    std::vector<metric_value> values;
    bool is_active = false;  // above the activation threshold
    bool failed = false;     // both reads failed
};

struct trigger_reading {
    std::vector<metric_reading> metrics;  // empty: the scaler returned no metric specs
    bool is_resource = false;             // cpu or memory: skipped
    bool cannot_be_built = false;         // true: no trigger of the ScaledJob is read
};

// The demand of one metric.
struct demand {
    double queue_length = 0.0;
    double max_value = 0.0;  // Jobs within the headroom, not rounded
    double target = 0.0;
    bool is_active = false;
};

// Computes the demand. queue_length: the sum of the values with the first metric's name. target: the mean over all metrics of
// the trigger.  Example: 20 items, target 2, headroom 99 → 20, 10.  A quantity is milli * 0.001, not milli / 1000: 13.2 / 1.2
// is then slightly above 11.  Target 0 gives no demand.
demand demand_of(const std::vector<metric_reading>& metrics, const std::vector<metric_value>& values, double headroom);

// The demand of all triggers combined.
struct total {
    bool is_active = false;
    bool has_error = false;
    std::int32_t answered = 0;  // metrics with a value
    std::int64_t scale_to = 0;  // length of the queue, rounded up: the maximum that one poll creates
    std::int64_t max_scale = 0;
    std::vector<std::string> active_metrics;
};

// Combines the active demands; `calculation` is max, min, avg, sum or "" (max).  Examples (queue/target 20/1, 10/2, 5/3
// active, 7/4 not, headroom 100): max 20, 20; min 5, 2; avg 12, 9; sum 35, 27.
total combine(const std::vector<demand>& demands, const std::string& calculation, const bounds& bounds,
              manifest::profile profile);

total total_of(const manifest::scaled_job& job, const std::vector<trigger_reading>& triggers);

}  // namespace gputide::jobs
