#include "nodes/scale_down/eligibility.hpp"

#include "base/saturate.hpp"
#include "nodes/dra/device.hpp"
#include "nodes/hardware.hpp"

#include <algorithm>
#include <array>

namespace gputide::nodes {

namespace {

constexpr std::int64_t whole_gpu_slices = 7;

// Compute slices of one unit, so that 1g and 3g slices of a node add up.
std::int64_t weight_of(std::string_view resource_name) {
    const std::optional<mig_profile> profile = profile_of_resource(resource_name);
    return profile ? profile->slices : whole_gpu_slices;
}

// The requested amount, and the allocatable amount that counts.
struct shares {
    std::int64_t requested = 0;
    std::int64_t allocatable = 0;

    double value() const {
        return requested == 0 ? 0.0 : static_cast<double>(requested) / static_cast<double>(allocatable);
    }
};

class counter {
  public:
    counter(const node_shape& shape, std::span<const pod> pods, std::int64_t now_ms, const options& how)
        : shape_(shape) {
        for (const pod& pod : pods) {
            const bool ignored =
                (how.ignore_daemon_sets && pod.of_daemon_set()) || (how.ignore_mirror_pods && pod.mirror);
            if (ignored) {
                ignored_.add(pod.placement.requests);
            } else if (!is_long_terminating(pod, now_ms) && !pod.finished()) {
                requested_.add(pod.placement.requests);
            }
        }
    }

    shares of(std::string_view name) const {
        return {requested_.of(name), subtract_saturating(shape_.allocatable.of(name), ignored_.of(name))};
    }

  private:
    const node_shape& shape_;
    resource_list requested_;
    resource_list ignored_;
};

utilization of_gpus(const node_shape& shape, const counter& pods, bool strict) {
    utilization out{0.0, std::string(nvidia_gpu_name)};
    shares sum;
    bool named = false;
    for (const resource& resource : shape.allocatable) {
        if (!is_gpu(resource.name, strict) || resource.amount <= 0) continue;
        if (!named) out.resource = resource.name;
        named = true;
        const shares own = pods.of(resource.name);
        const std::int64_t weight = weight_of(resource.name);
        sum.requested = add_saturating(sum.requested, multiply_saturating(own.requested, weight));
        sum.allocatable = add_saturating(sum.allocatable, multiply_saturating(own.allocatable, weight));
    }
    out.value = sum.value();
    return out;
}

}  // namespace

namespace {

// Counts of one pool.
struct pool_share {
    double whole = 0.0;  // devices without counters
    double whole_held = 0.0;
    double partitions_held = 0.0;
    std::vector<std::uint32_t> sets;  // counter sets of its devices
};

double part(double held, double total) { return total > 0.0 ? held / total : 0.0; }

pool_share share_of(const node_shape& shape, std::uint32_t pool) {
    const device_set& all = *shape.devices;
    pool_share out;
    for (std::size_t i = 0; i < all.devices.size(); ++i) {
        const device& device = all.devices[i];
        if (device.pool != pool) continue;
        const bool is_held = i < shape.devices_held.size() && shape.devices_held[i];
        (device.counters.empty() ? out.whole_held : out.partitions_held) += is_held ? 1.0 : 0.0;
        if (device.counters.empty()) out.whole += 1.0;
        for (const counter_use& counter : device.counters) {
            const std::uint32_t set = all.counters[counter.counter].set;
            if (std::ranges::find(out.sets, set) == out.sets.end()) out.sets.push_back(set);
        }
    }
    return out;
}

// Returns the highest use of a counter of that set.
double use_of_set(const device_set& all, const std::vector<std::int64_t>& left, std::uint32_t set) {
    double highest = 0.0;
    for (std::size_t i = 0; i < all.counters.size(); ++i) {
        if (all.counters[i].set != set) continue;
        const auto total = static_cast<double>(all.counters[i].total);
        highest = std::max(highest, part(total - static_cast<double>(left[i]), total));
    }
    return highest;
}

double use_of_pool(const node_shape& shape, const std::vector<std::int64_t>& left, std::uint32_t pool) {
    const pool_share share = share_of(shape, pool);
    const double whole = part(share.whole_held, share.whole);
    if (share.partitions_held == 0.0) return whole;
    double partitions = 0.0;
    for (const std::uint32_t set : share.sets) partitions += use_of_set(*shape.devices, left, set);
    const auto sets = static_cast<double>(share.sets.size());
    partitions = part(partitions, sets);
    if (share.whole_held == 0.0) return partitions;
    return (partitions * sets + whole * share.whole) / (sets + share.whole);
}

}  // namespace

utilization utilization_of_devices(const node_shape& shape) {
    const std::vector<std::int64_t> left = use_of_devices(shape).counters_left;
    utilization out;
    for (std::uint32_t i = 0; i < shape.devices->pools.size(); ++i) {
        const double value = use_of_pool(shape, left, i);
        if (!out.resource.empty() && value <= out.value) continue;
        out = {value, shape.devices->pools[i].driver + "/" + shape.devices->pools[i].name};
    }
    return out;
}

gpu_count_of_devices gpus_among_devices(const node_shape& shape) {
    gpu_count_of_devices out;
    if (shape.devices == nullptr) return out;
    const std::vector<std::int64_t> left = use_of_devices(shape).counters_left;
    for (std::uint32_t i = 0; i < shape.devices->pools.size(); ++i) {
        if (shape.devices->pools[i].driver.find("gpu") == std::string::npos) continue;
        const pool_share share = share_of(shape, i);
        out.gpus += static_cast<std::int64_t>(share.whole) + static_cast<std::int64_t>(share.sets.size());
        out.held += static_cast<std::int64_t>(share.whole_held);
        for (const std::uint32_t set : share.sets) out.held += use_of_set(*shape.devices, left, set) > 0.0 ? 1 : 0;
    }
    return out;
}

std::optional<utilization> utilization_of(const node_shape& shape, bool labelled, std::span<const pod> pods,
                                          std::int64_t now_ms, const options& how) {
    const counter count(shape, pods, now_ms, how);
    const bool by_label = labelled && (shape.devices == nullptr || how.strict);
    if (by_label || offers_gpu(shape.allocatable, how.strict)) return of_gpus(shape, count, how.strict);
    if (shape.devices != nullptr) return utilization_of_devices(shape);
    if (shape.allocatable.of(cpu_name) == 0 || shape.allocatable.of(memory_name) == 0) return std::nullopt;
    const double cpu = count.of(cpu_name).value();
    const double memory = count.of(memory_name).value();
    return cpu > memory ? utilization{cpu, std::string(cpu_name)} : utilization{memory, std::string(memory_name)};
}

verdict eligibility_of(const node& node, bool labelled, std::int64_t now_ms, const options& how) {
    if (node.deleting) return {stay::being_deleted, {}};
    if (node.keep) return {stay::disabled_by_annotation, {}};
    if (node.pool.empty()) return {stay::not_autoscaled, {}};
    verdict out;
    out.utilization = utilization_of(node.shape, labelled, node.pods, now_ms, how);
    const bool of_gpu = labelled || offers_gpu(node.shape.allocatable, how.strict);
    const bool measured_busy =
        how.busy_gpu_percent && node.gpu_utilization_percent && *node.gpu_utilization_percent > *how.busy_gpu_percent;
    if (!out.utilization) {
        out.why = stay::unexpected_error;
    } else if (!how.unready_enabled && !is_ready(node, labelled, how.strict)) {
        out.why = stay::unready_disabled;
    } else if (out.utilization->value > (of_gpu ? how.gpu_utilization_threshold : how.utilization_threshold)) {
        out.why = stay::not_underutilized;
    } else if (measured_busy) {
        out.why = stay::busy_gpu;
    }
    return out;
}

std::string_view stay_name(stay why) {
    static constexpr std::array<std::string_view, 22> names{
        "NoReason",
        "CurrentlyBeingDeleted",
        "ScaleDownDisabledAnnotation",
        "NotAutoscaled",
        "UnexpectedError",
        "ScaleDownUnreadyDisabled",
        "NotUnderutilized",
        "BusyGpu",
        "NotUnneededLongEnough",
        "NotUnreadyLongEnough",
        "NodeGroupMinSizeReached",
        "MinimalResourceLimitExceeded",
        "NoPlaceToMovePods",
        "BlockedByPod",
        "BlockedByOnCompletionPod",
        "RecentlyUnremovable",
        "TooManyCandidates",
        "ScaleDownPaused",
        "ParallelismLimit",
        "AtomicScaleDownFailed",
        "NodeStarting",
        "UnmodeledPod",
    };
    static_assert(names.size() == static_cast<std::size_t>(stay::unmodeled_pod) + 1);
    return names[static_cast<std::size_t>(why)];
}

stay why_stay(const unneeded_node& node, std::int64_t now_ms, const options& how) {
    if (node.keep) return stay::disabled_by_annotation;
    const std::int64_t wait_ms = node.ready ? how.unneeded_ms : how.unready_ms;
    if (add_saturating(node.since_ms, wait_ms) >= now_ms)
        return node.ready ? stay::not_unneeded_long_enough : stay::not_unready_long_enough;
    if (node.pool_size - node.pool_deletions <= node.pool_min) return stay::min_size_reached;
    return stay::no_reason;
}

removals within_budget(const removals& wanted, const removals& in_progress, const options& how) {
    const std::int64_t total = std::max<std::int64_t>(0, how.max_removals - in_progress.empty - in_progress.drain);
    const std::int64_t empty = std::min(wanted.empty, total);
    const std::int64_t drain = std::clamp<std::int64_t>(how.max_drains - in_progress.drain, 0, total - empty);
    return {empty, std::min(wanted.drain, drain)};
}

std::optional<std::int64_t> paused_until(const past_actions& past, std::int64_t now_ms, const options& how) {
    std::optional<std::int64_t> out;
    const auto hold = [&](const std::optional<std::int64_t>& action_ms, std::int64_t wait_ms) {
        if (!action_ms) return;
        const std::int64_t until_ms = add_saturating(*action_ms, wait_ms);
        if (until_ms > now_ms) out = std::max(out.value_or(until_ms), until_ms);
    };
    hold(past.add_ms, how.pause_after_add_ms);
    hold(past.failure_ms, how.pause_after_failure_ms);
    hold(past.delete_ms, how.pause_after_delete_ms);
    return out;
}

}  // namespace gputide::nodes
