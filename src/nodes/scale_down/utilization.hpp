// How much of a node is asked for, and whether that makes it a candidate to go.
// kubernetes/autoscaler simulator/utilization/info.go, core/scaledown/eligibility/eligibility.go.
#pragma once

#include "nodes/readiness.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gputide::nodes {

struct utilization_rules {
    bool ignore_daemon_sets = false;
    bool ignore_mirror_pods = false;
    gpu_rules gpus = gpu_rules::any_nvidia;
};

struct utilization {
    double value = 0.0;
    std::string resource;
};

// Requests, never measured use.  With a GPU (label or allocatable) only that counts: requested / allocatable, 0 where it is
// labelled and offers none; a node of several kinds of slices is weighed by compute slices.  Else the larger of cpu and memory
// (memory where they are equal).  Pods long past their end do not count; ignored pods leave both sides.
// Nothing: cpu or memory is not allocatable at all.
std::optional<utilization> utilization_of(const node_shape& shape, bool labelled, std::span<const pod> pods,
                                          std::int64_t now_ms, const utilization_rules& rules);

struct eligibility_rules {
    utilization_rules counted;
    double threshold = 0.5;      // scale-down-utilization-threshold
    double gpu_threshold = 0.5;  // scale-down-gpu-utilization-threshold
    bool unready_enabled = true;
    std::optional<double> busy_gpu_percent;  // measured above this, a node is no candidate
};

// cluster-autoscaler's words for why a node stays, and busy_gpu of this project.
enum class stay : std::int32_t {
    no_reason = 0,
    being_deleted,
    disabled_by_annotation,
    not_autoscaled,
    unexpected_error,
    unready_disabled,
    not_underutilized,
    busy_gpu,
    not_unneeded_long_enough,
    not_unready_long_enough,
    min_size_reached,
    minimal_resources,
    no_place_to_move,
    blocked_by_pod,
    blocked_by_on_completion_pod,
    recently_unremovable,
    too_many_candidates,
    paused,
    parallelism,
};
std::string_view stay_name(stay why);  // "NoReason", "NotUnderutilized", "NodeGroupMinSizeReached", ...

struct verdict {
    stay why = stay::no_reason;
    std::optional<nodes::utilization> utilization;
};

// The first that applies: being deleted, annotation, of no pool, no utilization, unready and these stay, above the threshold
// (equal is still a candidate), measured as busy.
verdict eligibility_of(const node& one, bool labelled, std::int64_t now_ms, const eligibility_rules& rules);

}  // namespace gputide::nodes
