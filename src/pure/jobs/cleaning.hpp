// Selects Jobs to delete: finished ones beyond the history limits, and those of an older generation. kedacore/keda
// pkg/scaling/executor/scale_jobs.go (cleanUp), controllers/keda/scaledjob_controller.go.  Pure: the caller's `erase`
// deletes.
#pragma once

#include "jobs/job.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::jobs {

struct deletion {
    enum class result { done, not_found, failed } how = result::done;
    std::string error;  // the server's message, if it failed
};
using erase_job = std::function<deletion(const job& job)>;

// Runs at each poll.  Deletes complete Jobs first, then failed ones, each the oldest first.  Returns false if a deletion
// failed.  Strict profile, as in KEDA: the first failure (also "not found") ends the cleaning; failed Jobs keep list order,
// because they have no completion time; Jobs being deleted count.  Standard profile: every deletion is tried, "not found" is
// a success, and Jobs are sorted by the time of their condition, then by creation time.
bool clean_history(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase);

struct rollout_result {
    std::vector<event> events;
    std::string error;  // "": success
};

// Runs when the spec has changed.  Selects Jobs of another generation than the ScaledJob's, finished or not, unless the
// rollout is gradual.
rollout_result roll_out(const manifest::scaled_job& job, const std::vector<jobs::job>& jobs, const erase_job& erase);

std::string_view propagation_of(const manifest::job_rollout& rollout);  // Foreground, Background

}  // namespace gputide::jobs
