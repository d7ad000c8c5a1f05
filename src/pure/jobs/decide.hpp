// One poll of a ScaledJob: the number of jobs to create, and its conditions and events.  kedacore/keda
// pkg/scaling/executor/scale_jobs.go (RequestJobScale).  Pure: no clock, no cluster.
#pragma once

#include "jobs/demand.hpp"
#include "jobs/job.hpp"
#include "jobs/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::jobs {

// The observed jobs.
struct observation {
    counts seen;
    std::int64_t unseen = 0;     // created, but not in the list yet
    bool is_unreadable = false;  // the list of jobs failed
    std::optional<bool> was_active;
};

struct decision {
    std::int64_t min = 0, headroom = 0, cap = 0;
    std::string_view strategy;   // the strategy that decided; "minimum" below it
    std::int64_t effective = 0;  // at least 0
    std::int64_t create = 0;
    bool is_held = false;  // the running jobs are unknown, so nothing is created or deleted
    bool is_active = false;
    verdict ready;
    verdict active;
};

// The strict profile treats an unreadable list as empty and ignores jobs that the list does not contain yet; otherwise
// an unreadable list blocks the decision, such jobs count as unfinished and pending, and no strategy exceeds the cap.
decision decide(const config::scaled_job& job, const observation& seen, const total& asked);

// Returns the condition Ready after the creations.  From KEDA 2.21 on a failed creation makes it False, with the texts
// of all failures, whatever the triggers report.
verdict ready_after(const config::scaled_job& job, const decision& decision, const std::vector<std::string>& refusals);

// Returns the events of that poll after the creations: `refusals` are the texts of failed ones.
std::vector<event> events_of(const config::scaled_job& job, const decision& decision, const observation& seen,
                             const std::vector<std::string>& refusals);

}  // namespace gputide::jobs
