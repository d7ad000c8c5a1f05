// Decides whether a node may be considered for removal, and since when.
#pragma once

#include "nodes/node.hpp"
#include "nodes/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gputide::nodes {

struct utilization {
    double value = 0.0;
    std::string resource;
};

// Returns the highest utilization of the node's pools of devices; the first of equal ones.  For one pool:
//   devices without counters    held / all
//   partitions                  for each counter set the highest (used / total) of its counters; the mean over the sets
//   both kinds                  mean of the two, weighted by counter sets and devices without counters
// kubernetes/autoscaler simulator/dynamicresources/utils/utilization.go.
// Examples: 4 of 8 whole GPUs held: 0.5.  A 1g.10gb slice on one of 8 partitionable GPUs uses 1 of 7 slices and 1 of 8
// parts of the memory: 1/7/8 = 0.018.
utilization utilization_of_devices(const node_shape& shape);

struct gpu_count_of_devices {
    std::int64_t gpus = 0;
    std::int64_t held = 0;
};

// Counts the GPUs among a node's devices, for drivers with "gpu" in their name: devices without counters, and counter sets.
// A counter set is one partitionable GPU, which is held if any part of it is.
gpu_count_of_devices gpus_among_devices(const node_shape& shape);

// Computes utilization from requests, never from measured usage.  For a node with GPUs (by label or allocatable) only GPUs
// count: requested / allocatable, 0 if the node is labeled and offers none; several kinds of slices are weighted by compute
// slices.  Otherwise, with DRA devices only these count (utilization_of_devices); also on a labeled node, unless strict.
// Otherwise the larger of cpu and memory (memory if equal).  Pods long past their end do not count; ignored pods are removed
// from both sides.
// Returns nothing if cpu or memory is not allocatable.
std::optional<utilization> utilization_of(const node_shape& shape, bool labelled, std::span<const pod> pods,
                                          std::int64_t now_ms, const options& how);

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
verdict eligibility_of(const node& node, bool labelled, std::int64_t now_ms, const options& how);

// Decides when an unneeded node may be removed, and how many at once.
// kubernetes/autoscaler core/scaledown/unneeded/nodes.go, budgets/budgets.go, core/static_autoscaler.go.

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
stay why_stay(const unneeded_node& node, std::int64_t now_ms, const options& how);

struct removals {
    std::int64_t empty = 0;
    std::int64_t drain = 0;

    friend bool operator==(const removals&, const removals&) = default;
};

// Returns the number of removals that may start now in addition to those in progress, empty nodes first.
removals within_budget(const removals& wanted, const removals& in_progress, const options& how);

struct past_actions {
    std::optional<std::int64_t> add_ms;
    std::optional<std::int64_t> failure_ms;
    std::optional<std::int64_t> delete_ms;
};

// Returns the end of the pause in which no node is removed; nothing: no pause.
std::optional<std::int64_t> paused_until(const past_actions& past, std::int64_t now_ms, const options& how);

}  // namespace gputide::nodes
