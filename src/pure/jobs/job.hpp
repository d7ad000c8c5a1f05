// Jobs as observed in a cluster: finished ones and pending ones.  kedacore/keda pkg/scaling/executor/scale_jobs.go.
// Pure.
#pragma once

#include "config/scaled_job.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::jobs {

struct condition {
    std::string type;
    bool is_true = false;
    std::optional<std::int64_t> since_ms;  // lastTransitionTime
};

struct pod {
    std::string phase;
    std::vector<condition> conditions;
};

struct job {
    std::string name;
    std::vector<condition> conditions;
    std::optional<std::int64_t> completed_ms;  // status.completionTime, which failed jobs lack
    std::optional<std::int64_t> created_ms;
    bool is_deleting = false;
    std::optional<std::string> generation;  // the annotation scaledjob.keda.sh/generation
    std::vector<pod> pods;
    bool pods_unreadable = false;
};

enum class ending { none, complete, failed };

// Returns the first condition of type Complete or Failed that is true.  Suspended jobs, jobs about to end and jobs
// under deletion have not ended.
struct finish {
    ending how = ending::none;
    std::optional<std::int64_t> at_ms;  // when that condition was set
};
finish finish_of(const job& job);

struct counts {
    std::int64_t running = 0;  // unfinished: pending ones included
    std::int64_t pending = 0;
};

// A job is pending unless one of its pods runs or has succeeded; with pendingPodConditions unless one pod has all of
// them true.  In the strict profile a repeated condition type can never be met.
counts count(const std::vector<job>& jobs, const config::scaling_strategy& strategy, config::profile profile);

}  // namespace gputide::jobs
