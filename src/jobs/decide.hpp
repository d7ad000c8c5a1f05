// One poll of a ScaledJob: how many jobs to create, and what its conditions and events say.  kedacore/keda
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

// What is there.
struct observation {
    counts seen;
    std::int64_t unseen = 0;     // created, and the list does not show them yet
    bool is_unreadable = false;  // the list of jobs failed
    std::optional<bool> was_active;
};

struct decision {
    std::int64_t min = 0, headroom = 0, cap = 0;
    std::string_view strategy;   // the one that answered; "minimum" below it
    std::int64_t effective = 0;  // at least 0
    std::int64_t create = 0;
    bool is_held = false;  // nobody knows what runs, so nothing is created or deleted
    bool is_active = false;
    verdict ready;
    verdict active;
};

// Strict takes an unreadable list for an empty one and does not know of jobs that the list does not show; else the first holds
// and the second count as unfinished and pending, and no strategy passes the cap.
decision decide(const config::scaled_job& job, const observation& seen, const total& asked);

// Returns the condition Ready once the creations are answered.  From KEDA 2.21 on a refusal makes it False, with the texts of all of
// them, whatever the triggers said.
verdict ready_after(const config::scaled_job& job, const decision& decision, const std::vector<std::string>& refusals);

// The events of that poll, once the creations are answered: `refusals` are the texts of those that were refused.
std::vector<event> events_of(const config::scaled_job& job, const decision& decision, const observation& seen,
                             const std::vector<std::string>& refusals);

}  // namespace gputide::jobs
