// Decides whether a node may be considered for removal, and since when.
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

// Computes utilization from requests, never from measured usage.  For a node with GPUs (by label or allocatable) only GPUs
// count: requested / allocatable, 0 if the node is labeled and offers none; several kinds of slices are weighted by compute
// slices.  Otherwise, with DRA devices only these count (utilization_of_devices); also on a labeled node, unless strict.
// Otherwise the larger of cpu and memory (memory if equal).  Pods long past their end do not count; ignored pods are removed
// from both sides.
// Returns nothing if cpu or memory is not allocatable.
std::optional<utilization> utilization_of(const node_shape& shape, bool labelled, std::span<const pod> pods,
                                          std::int64_t now_ms, const utilization_rules& rules);

struct eligibility_rules {
    utilization_rules counted;
    double threshold = 0.5;      // scale-down-utilization-threshold
    double gpu_threshold = 0.5;  // scale-down-gpu-utilization-threshold
    bool unready_enabled = true;
    std::optional<double> busy_gpu_percent;  // a node with a higher measured value is not a candidate
};

// cluster-autoscaler's reasons why a node stays; busy_gpu, starting and unmodeled_pod are gputide's own.
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
    atomic_failed,
    starting,
    unmodeled_pod,
};
std::string_view stay_name(stay why);  // "NoReason", "NotUnderutilized", "NodeGroupMinSizeReached", ...

struct verdict {
    stay why = stay::no_reason;
    std::optional<nodes::utilization> utilization;
};

// Returns the first that applies: being deleted, annotation, without a pool, no utilization, unready while unready nodes are
// kept, above the threshold (an equal value is still a candidate), measured as busy.
verdict eligibility_of(const node& node, bool labelled, std::int64_t now_ms, const eligibility_rules& rules);

// Decides when an unneeded node may be removed, and how many at once.
// kubernetes/autoscaler core/scaledown/unneeded/nodes.go, budgets/budgets.go, core/static_autoscaler.go.

struct timing_rules {
    std::int64_t unneeded_ms = 10 * 60'000;  // scale-down-unneeded-time
    std::int64_t unready_ms = 20 * 60'000;   // scale-down-unready-time
};

struct unneeded_node {
    bool ready = true;
    bool keep = false;  // by annotation
    std::int64_t since_ms = 0;
    std::int64_t pool_min = 0;
    std::int64_t pool_size = 0;
    std::int64_t pool_deletions = 0;  // deletions in progress, and those accepted before this one
};

// Returns why a node stays.  It may be removed if it has been unneeded for longer than its time (since + T < now), and then
// if size − deletions > min.
stay why_stay(const unneeded_node& node, std::int64_t now_ms, const timing_rules& rules);

struct removals {
    std::int64_t empty = 0;
    std::int64_t drain = 0;

    friend bool operator==(const removals&, const removals&) = default;
};

struct parallelism {
    std::int64_t total = 10;  // max-scale-down-parallelism
    std::int64_t drain = 1;   // max-drain-parallelism
};

// Returns the number of removals that may start now in addition to those in progress, empty nodes first.
removals within_budget(const removals& wanted, const removals& in_progress, const parallelism& most);

struct pause_rules {
    std::int64_t after_add_ms = 10 * 60'000;     // scale-down-delay-after-add
    std::int64_t after_failure_ms = 3 * 60'000;  // scale-down-delay-after-failure
    std::int64_t after_delete_ms = 0;            // scale-down-delay-after-delete
};

struct past_actions {
    std::optional<std::int64_t> add_ms;
    std::optional<std::int64_t> failure_ms;
    std::optional<std::int64_t> delete_ms;
};

// Returns the end of the pause in which no node is removed; nothing: no pause.
std::optional<std::int64_t> paused_until(const past_actions& past, std::int64_t now_ms, const pause_rules& rules);

}  // namespace gputide::nodes
