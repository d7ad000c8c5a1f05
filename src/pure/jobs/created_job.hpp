// A new Job: its labels and annotations.  kedacore/keda pkg/scaling/executor/scale_jobs.go (generateJobs).  Pure.
#pragma once

#include "config/scaled_job.hpp"

#include <map>
#include <string>
#include <string_view>

namespace gputide::jobs {

// Set on each Job and its pods; jobs are listed by it.
inline constexpr std::string_view name_label = "scaledjob.keda.sh/name";
inline constexpr std::string_view generation_annotation = "scaledjob.keda.sh/generation";

struct created_job {
    std::string generate_name;  // "train-": the server, or the client that creates it, appends five characters
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    std::map<std::string, std::string> template_labels;
    std::string restart_policy;
};

// The ScaledJob's own labels and annotations override these, including the last-applied manifest, and in KEDA also
// name_label and generation_annotation: its jobs are then never counted, or are deleted at the next reconcile.  Outside
// the strict profile these two are kept, and the last-applied manifest is not copied.
created_job job_of(const config::scaled_job& job, std::string_view version);

// Reads the annotation autoscaling.keda.sh/paused: Go's ParseBool, and any other text counts as true.  Other kinds of
// pause do not count here.
bool is_paused(const config::scaled_job& job);

}  // namespace gputide::jobs
