// How many jobs there may be: kedacore/keda apis/keda/v1alpha1/scaledjob_types.go.  Pure.
#pragma once

#include "config/scaled_job.hpp"

#include <cstdint>

namespace gputide::jobs {

inline constexpr std::int64_t default_max = 100;  // maxReplicaCount where a manifest says nothing

struct bounds {
    std::int64_t min = 0;       // kept in any case
    std::int64_t headroom = 0;  // jobs above them
    std::int64_t cap = 0;       // unfinished jobs at the most, of the strategies default, accurate and eager
};

// Worked: min 2, max 10 → 2, 8, 10.  Strict as KEDA: min above max gives max, max, 2 × max, and without a max min is not
// deducted: min 5 → 5, 100, 105.  Else the cap holds: max, or max(100, min) without one, and min is cut to it.
bounds bounds_of(const config::scaled_job& job);

}  // namespace gputide::jobs
