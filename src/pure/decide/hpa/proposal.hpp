// What one metric asks for, or why it asks for nothing.  The common currency between the replica formulas, combine() and the
// trace.
#pragma once

#include "decide/decision.hpp"

#include <cstdint>

namespace gputide::decide {

struct proposal {
    metric_failure failure = metric_failure::none;
    bool within_tolerance = false;
    bool from_fallback = false;            // the value is the fallback's
    bool held = false;                     // no data, and the trigger's rule says: keep the size
    bool guarded = false;                  // the in-flight guard changed it
    std::int32_t replicas = 0;             // where failure is none
    double ratio = 0.0;                    // usage ratio: above 1 asks for more
    std::int64_t total_milli = 0;          // Pods: the sum over the pods that count
    std::int64_t usage_milli = 0;          // as an HPA reports it: sum, per pod (rounded up), or integer mean
    std::int32_t utilization_pct = 0;      // Utilization targets only
    std::int32_t pod = -1;                 // missing_request: which pod
    std::int32_t metric = -1;              // index into policy.metrics, or composite_metric
    sample_state read = sample_state::ok;  // of the failed read
};

}  // namespace gputide::decide
