// Grouping of pods; see pods.hpp for the rules and their source.
#include "decide/hpa/pods.hpp"

#include "base/saturate.hpp"

namespace gputide::decide {

namespace {

bool cpu_not_ready(const pod& pod, const pod_sample& sample, const grouping& by) noexcept {
    if (pod.readiness == readiness::no_condition || pod.start_time_ms == absent) return true;
    const bool not_ready = pod.readiness == readiness::no;
    const std::int64_t changed_ms = pod.ready_change_time_ms == absent ? pod.start_time_ms : pod.ready_change_time_ms;
    if (add_saturating(pod.start_time_ms, by.cpu_initialization_ms) > by.now_ms) {
        const std::int64_t measured_ms = sample.time_ms == absent ? by.now_ms : sample.time_ms;
        return not_ready || measured_ms < add_saturating(changed_ms, std::int64_t{sample.window_s} * 1000);
    }
    return not_ready && add_saturating(pod.start_time_ms, by.initial_readiness_ms) > changed_ms;
}

}  // namespace

pod_group group_of(const pod& pod, const pod_sample* sample, bool cpu, const grouping& by) noexcept {
    if (pod.deleting || pod.phase == pod_phase::failed) return pod_group::ignored;
    if (pod.phase == pod_phase::succeeded && by.ignores_succeeded) return pod_group::ignored;
    if (pod.phase == pod_phase::pending) return pod_group::unready;
    if (!has_value(sample)) return pod_group::missing;
    if (cpu && cpu_not_ready(pod, *sample, by)) return pod_group::unready;
    return pod_group::ready;
}

std::int32_t count_ready(std::span<const pod> pods) noexcept {
    std::int32_t count = 0;
    for (const pod& one : pods) {
        if (one.phase == pod_phase::running && one.readiness == readiness::yes) ++count;
    }
    return count;
}

}  // namespace gputide::decide
