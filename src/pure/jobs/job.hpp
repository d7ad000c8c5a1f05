// Jobs as observed in a cluster: finished and pending ones. kedacore/keda pkg/scaling/executor/scale_jobs.go.  Pure.
#pragma once

#include "manifest/spec.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// The first true condition of type Complete or Failed.  Suspended Jobs, Jobs about to end and Jobs being deleted have not
// ended.
struct finish {
    ending how = ending::none;
    std::optional<std::int64_t> at_ms;  // lastTransitionTime of that condition
};
finish finish_of(const job& job);

struct counts {
    std::int64_t running = 0;  // unfinished, including pending
    std::int64_t pending = 0;
};

// Counts Jobs.  A Job is pending unless one of its pods runs or has succeeded; with pendingPodConditions, unless one pod has
// all these conditions true.  In the strict profile a repeated condition type is never met.
counts count(const std::vector<job>& jobs, const manifest::scaling_strategy& strategy, manifest::profile profile);

// A new Job: its labels and annotations. kedacore/keda pkg/scaling/executor/scale_jobs.go (generateJobs).  Pure.

// Set on each Job and its pods; Jobs are listed by it.
inline constexpr std::string_view name_label = "scaledjob.keda.sh/name";
inline constexpr std::string_view generation_annotation = "scaledjob.keda.sh/generation";

struct created_job {
    std::string generate_name;  // "train-": the server, or the creating client, appends five characters
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    std::map<std::string, std::string> template_labels;
    std::string restart_policy;
};

// The ScaledJob's own labels and annotations override these, including the last-applied manifest.  In KEDA they also override
// name_label and generation_annotation: its Jobs are then never counted, or are deleted at the next reconcile.  Outside the
// strict profile these two are kept, and the last-applied manifest is not copied.
created_job job_of(const manifest::scaled_job& job, std::string_view version);

// Reads the annotation autoscaling.keda.sh/paused: Go's ParseBool, and any other text counts as true.  Other pause
// annotations have no effect.
bool is_paused(const manifest::scaled_job& job);

// The conditions and events of a ScaledJob, with KEDA's texts.

struct event {
    bool is_warning = false;
    std::string_view reason;
    std::string message;
};

struct verdict {
    std::string_view status;  // True, False, Unknown
    std::string_view reason;
    std::string message;
};

}  // namespace gputide::jobs
