// Limits on the number of jobs: kedacore/keda apis/keda/v1alpha1/scaledjob_types.go.  Pure.
#pragma once

#include "config/scaled_job.hpp"

#include <cstdint>

namespace gputide::jobs {

inline constexpr std::int64_t default_max = 100;  // default of maxReplicaCount

struct bounds {
    std::int64_t min = 0;       // always kept
    std::int64_t headroom = 0;  // jobs above min
    std::int64_t cap = 0;       // maximum of unfinished jobs, for the strategies default, accurate and eager
};

// Worked: min 2, max 10 → 2, 8, 10.  Strict profile, as KEDA: min above max gives max, max, 2 × max, and without a max
// min is not deducted: min 5 → 5, 100, 105.  Otherwise the cap is max, or max(100, min) without one, and min is limited
// to it.
bounds bounds_of(const config::scaled_job& job);

}  // namespace gputide::jobs
