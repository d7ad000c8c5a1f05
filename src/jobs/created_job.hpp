// The Job that is created: its labels and annotations.  kedacore/keda pkg/scaling/executor/scale_jobs.go (generateJobs).  Pure.
#pragma once

#include "config/scaled_job.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gputide::jobs {

// Set on each Job and its pods; the list of jobs is by it.
inline constexpr std::string_view name_label = "scaledjob.keda.sh/name";
inline constexpr std::string_view generation_annotation = "scaledjob.keda.sh/generation";

struct created_job {
    std::string generate_name;  // "train-": the server, or who creates it, adds five characters
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    std::map<std::string, std::string> template_labels;
    std::string restart_policy;
};

// The ScaledJob's own labels and annotations go over these, the last-applied manifest included, and in KEDA over name_label and
// generation_annotation too: then its jobs are never counted, or deleted at the next reconcile.  Outside the strict profile
// those two stay, and the last-applied manifest stays behind.
created_job job_of(const config::scaled_job& job, std::string_view version);

// The annotation autoscaling.keda.sh/paused: Go's ParseBool, and any other text counts as true.  No other pause counts here.
bool is_paused(const config::scaled_job& job);

}  // namespace gputide::jobs
