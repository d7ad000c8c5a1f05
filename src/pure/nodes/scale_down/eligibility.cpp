#include "nodes/scale_down/eligibility.hpp"

#include "base/saturate.hpp"
#include "nodes/dra/allocation.hpp"
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
    counter(const node_shape& shape, std::span<const pod> pods, std::int64_t now_ms, const utilization_rules& rules)
        : shape_(shape) {
        for (const pod& pod : pods) {
            const bool ignored =
                (rules.ignore_daemon_sets && pod.of_daemon_set()) || (rules.ignore_mirror_pods && pod.mirror);
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

utilization of_gpus(const node_shape& shape, const counter& pods, gpu_rules rules) {
    utilization out{0.0, std::string(nvidia_gpu_name)};
    shares sum;
    bool named = false;
    for (const resource& resource : shape.allocatable) {
        const bool counts = rules == gpu_rules::strict ? is_known_gpu(resource.name) : is_gpu(resource.name);
        if (!counts || resource.amount <= 0) continue;
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

std::optional<utilization> utilization_of(const node_shape& shape, bool labelled, std::span<const pod> pods,
                                          std::int64_t now_ms, const utilization_rules& rules) {
    const counter count(shape, pods, now_ms, rules);
    const bool by_label = labelled && (shape.devices == nullptr || rules.gpus == gpu_rules::strict);
    if (by_label || offers_gpu(shape.allocatable, rules.gpus)) return of_gpus(shape, count, rules.gpus);
    if (shape.devices != nullptr) return utilization_of_devices(shape);
    if (shape.allocatable.of(cpu_name) == 0 || shape.allocatable.of(memory_name) == 0) return std::nullopt;
    const double cpu = count.of(cpu_name).value();
    const double memory = count.of(memory_name).value();
    return cpu > memory ? utilization{cpu, std::string(cpu_name)} : utilization{memory, std::string(memory_name)};
}

verdict eligibility_of(const node& node, bool labelled, std::int64_t now_ms, const eligibility_rules& rules) {
    if (node.deleting) return {stay::being_deleted, {}};
    if (node.keep) return {stay::disabled_by_annotation, {}};
    if (node.pool.empty()) return {stay::not_autoscaled, {}};
    verdict out;
    out.utilization = utilization_of(node.shape, labelled, node.pods, now_ms, rules.counted);
    const bool of_gpu = labelled || offers_gpu(node.shape.allocatable, rules.counted.gpus);
    const bool measured_busy = rules.busy_gpu_percent && node.gpu_utilization_percent &&
                               *node.gpu_utilization_percent > *rules.busy_gpu_percent;
    if (!out.utilization) {
        out.why = stay::unexpected_error;
    } else if (!rules.unready_enabled && !is_ready(node, labelled, rules.counted.gpus)) {
        out.why = stay::unready_disabled;
    } else if (out.utilization->value > (of_gpu ? rules.gpu_threshold : rules.threshold)) {
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

stay why_stay(const unneeded_node& node, std::int64_t now_ms, const timing_rules& rules) {
    if (node.keep) return stay::disabled_by_annotation;
    const std::int64_t wait_ms = node.ready ? rules.unneeded_ms : rules.unready_ms;
    if (add_saturating(node.since_ms, wait_ms) >= now_ms)
        return node.ready ? stay::not_unneeded_long_enough : stay::not_unready_long_enough;
    if (node.pool_size - node.pool_deletions <= node.pool_min) return stay::min_size_reached;
    return stay::no_reason;
}

removals within_budget(const removals& wanted, const removals& in_progress, const parallelism& most) {
    const std::int64_t total = std::max<std::int64_t>(0, most.total - in_progress.empty - in_progress.drain);
    const std::int64_t empty = std::min(wanted.empty, total);
    const std::int64_t drain = std::clamp<std::int64_t>(most.drain - in_progress.drain, 0, total - empty);
    return {empty, std::min(wanted.drain, drain)};
}

std::optional<std::int64_t> paused_until(const past_actions& past, std::int64_t now_ms, const pause_rules& rules) {
    std::optional<std::int64_t> out;
    const auto hold = [&](const std::optional<std::int64_t>& action_ms, std::int64_t wait_ms) {
        if (!action_ms) return;
        const std::int64_t until_ms = add_saturating(*action_ms, wait_ms);
        if (until_ms > now_ms) out = std::max(out.value_or(until_ms), until_ms);
    };
    hold(past.add_ms, rules.after_add_ms);
    hold(past.failure_ms, rules.after_failure_ms);
    hold(past.delete_ms, rules.after_delete_ms);
    return out;
}

}  // namespace gputide::nodes
