// A KEDA ScaledJob (keda.sh/v1alpha1) as written: creates Jobs for the items of a queue.  Plain values; jobs/ interprets
// them.
#pragma once

#include "manifest/scaling.hpp"
#include "manifest/spec.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gputide::manifest {

struct scaling_strategy {
    std::string name;                             // default, custom, accurate, eager; "": default
    std::int32_t queue_length_deduction = 0;      // custom
    std::string running_job_fraction;             // custom: text for Go's ParseFloat, "0.5" for half
    std::vector<std::string> pending_conditions;  // pendingPodConditions
    std::string calculation;                      // multipleScalersCalculation: max, min, avg, sum; "": max
};

struct job_rollout {
    bool is_gradual = false;     // immediate: Jobs of an older generation are deleted
    bool is_foreground = false;  // propagation policy of these deletions
};

struct scaled_job {
    std::string name;
    std::string name_space = "default";
    std::string uid;
    std::int64_t generation = 0;
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    gputide::manifest::profile profile = gputide::manifest::profile::standard;
    original_versions versions;

    std::int64_t gpus_per_job_milli = 1000;  // gputide.io/gpus-per-replica
    double cost_per_gpu_hour = 0.0;          // 0: unknown

    std::int32_t polling_interval_s = 30;
    std::optional<std::int32_t> min, max;
    std::int32_t successful_limit = 100, failed_limit = 100;  // finished Jobs to keep
    scaling_strategy strategy;
    job_rollout rollout;

    std::map<std::string, std::string> template_labels;  // of jobTargetRef.template
    std::string restart_policy;
};

// A ScaledJob with its triggers.
struct written_scaled_job {
    scaled_job job;
    std::vector<trigger> triggers;
    place at;
};

}  // namespace gputide::manifest
