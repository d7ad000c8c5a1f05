// Computes replicas from values per pod; proposals.hpp has the formulas and their source.
#include "base/saturate.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/readings.hpp"
#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

using sample_of_pod = scratch<const pod_sample*, 256>;

struct sums {
    std::int64_t usage = 0;
    std::int64_t request = 0;  // of the pods that have both a value and a request
    std::int64_t matched = 0;  // pods that have both a value and a request
    std::int64_t metrics = 0;  // |M|: number of entries used
};

// The sums of one loop over the pods.
struct survey {
    sums measured;
    std::int64_t listed_values = 0;  // all values, independent of the pod's group
    std::int32_t ready = 0;
    std::int32_t unready = 0;
    std::int32_t missing = 0;
    std::int32_t pod_without_request = -1;
};

bool is_listed(const pods_input& input, const pod_sample& sample) noexcept {
    return sample.pod >= 0 && static_cast<std::size_t>(sample.pod) < input.pods.size();
}

void index_samples(const pods_input& input, sample_of_pod& by_pod) noexcept {
    std::ranges::fill(by_pod.all(), nullptr);
    for (const pod_sample& sample : input.samples) {
        if (sample.metric == input.metric && is_listed(input, sample))
            by_pod[static_cast<std::size_t>(sample.pod)] = &sample;
    }
}

bool has_request(const pod_sample* sample) noexcept { return sample != nullptr && sample->request_milli >= 0; }

void add(sums& total, std::int64_t usage, const pod_sample* sample) noexcept {
    total.usage = add_saturating(total.usage, usage);
    ++total.metrics;
    if (!has_request(sample)) return;
    total.request = add_saturating(total.request, sample->request_milli);
    ++total.matched;
}

// Utilization ignores the usage of pods without a request entry; a mean includes it.
void add_unlisted(const pods_input& input, bool utilization, survey& survey) noexcept {
    for (const pod_sample& sample : input.samples) {
        if (sample.metric != input.metric || is_listed(input, sample) || !has_value(&sample)) continue;
        ++survey.listed_values;
        if (utilization) {
            ++survey.measured.metrics;
        } else {
            add(survey.measured, sample.value_milli, nullptr);
        }
    }
}

survey look_at(const pods_input& input, const sample_of_pod& by_pod, bool utilization) noexcept {
    survey out;
    for (std::size_t i = 0; i < input.pods.size(); ++i) {
        const pod_sample* sample = by_pod[i];
        if (has_value(sample)) ++out.listed_values;
        if (out.pod_without_request < 0 && !has_request(sample)) {
            out.pod_without_request = static_cast<std::int32_t>(i);
        }
        switch (group_of(input.pods[i], sample, input.cpu, input.by)) {
            case pod_group::ready:
                ++out.ready;
                add(out.measured, sample->value_milli, sample);
                break;
            case pod_group::unready:
                ++out.unready;
                break;
            case pod_group::missing:
                ++out.missing;
                break;
            case pod_group::ignored:
                break;
        }
    }
    add_unlisted(input, utilization, out);
    return out;
}

// Repeats the sums with assumed values for pods without a usable metric. missing(pod's sample) returns the assumed usage.
template <class Missing>
sums with_assumptions(const pods_input& input, const sample_of_pod& by_pod, sums all, double ratio, bool add_unready,
                      Missing missing) noexcept {
    for (std::size_t i = 0; i < input.pods.size(); ++i) {
        const pod_group group = group_of(input.pods[i], by_pod[i], input.cpu, input.by);
        if (group == pod_group::missing && ratio < 1.0) add(all, missing(by_pod[i]), by_pod[i]);
        if (group == pod_group::missing && ratio > 1.0) add(all, 0, by_pod[i]);
        if (group == pod_group::unready && add_unready) add(all, 0, by_pod[i]);
    }
    return all;
}

// Uses the second ratio only if it has the direction of the first.
void settle(proposal& out, const pods_input& input, double ratio2, std::int64_t pods) noexcept {
    const double ratio = out.ratio;
    const bool turned = (ratio < 1.0 && ratio2 > 1.0) || (ratio > 1.0 && ratio2 < 1.0);
    out.within_tolerance = within(input.band, ratio2);
    out.replicas = input.spec_replicas;
    if (out.within_tolerance || turned) return;
    const std::int32_t wanted = ceil_replicas(ratio2 * static_cast<double>(pods));
    const bool against =
        (ratio2 < 1.0 && wanted > input.spec_replicas) || (ratio2 > 1.0 && wanted < input.spec_replicas);
    if (!against) out.replicas = wanted;
}

// Uses the first ratio, which is in `out`, if it is sufficient: then sets out.replicas and returns true.
bool settle_at_once(proposal& out, const pods_input& input, const survey& seen, bool up_unready) noexcept {
    if (up_unready || seen.missing > 0) return false;
    out.within_tolerance = within(input.band, out.ratio);
    out.replicas =
        out.within_tolerance ? input.spec_replicas : ceil_replicas(out.ratio * static_cast<double>(seen.ready));
    return true;
}

std::int32_t percentage(const sums& sums) noexcept {
    return to_int32(multiply_saturating(sums.usage, 100) / sums.request);
}

// Without a source, the host provides the values; if it lists no pod, it requested none.
bool is_empty_response(const pods_input& input, const survey& seen) noexcept {
    return seen.listed_values == 0 && (input.is_answered || !input.pods.empty());
}

proposal failed(metric_failure why) noexcept {
    proposal out;
    out.failure = why;
    return out;
}

}  // namespace

proposal pods_average(const pods_input& input, std::int64_t target_milli) {
    sample_of_pod by_pod(input.pods.size());
    index_samples(input, by_pod);
    const survey seen = look_at(input, by_pod, false);
    if (is_empty_response(input, seen)) return failed(metric_failure::no_metrics);
    if (input.pods.empty()) return failed(metric_failure::no_pods);
    if (seen.measured.metrics == 0) return failed(metric_failure::no_usable_pods);

    const auto ratio_of = [&](const sums& sums) {
        const std::int64_t mean_milli = sums.usage / sums.metrics;
        return static_cast<double>(mean_milli) / static_cast<double>(target_milli);
    };
    proposal out;
    out.total_milli = seen.measured.usage;
    out.usage_milli = seen.measured.usage / seen.measured.metrics;
    out.ratio = ratio_of(seen.measured);
    const bool up_unready = seen.unready > 0 && out.ratio > 1.0;
    if (settle_at_once(out, input, seen, up_unready)) return out;

    const sums assumed = with_assumptions(input, by_pod, seen.measured, out.ratio, up_unready,
                                          [&](const pod_sample*) { return target_milli; });
    settle(out, input, ratio_of(assumed), assumed.metrics);
    return out;
}

proposal resource_utilization(const pods_input& input, std::int32_t target_pct) {
    sample_of_pod by_pod(input.pods.size());
    index_samples(input, by_pod);
    const survey seen = look_at(input, by_pod, true);
    if (is_empty_response(input, seen)) return failed(metric_failure::no_metrics);
    if (input.pods.empty()) return failed(metric_failure::no_pods);
    if (seen.measured.metrics == 0) return failed(metric_failure::no_usable_pods);
    if (seen.pod_without_request >= 0) {
        proposal out = failed(metric_failure::missing_request);
        out.pod = seen.pod_without_request;
        return out;
    }
    if (seen.measured.request == 0) return failed(metric_failure::no_known_pods);

    const auto ratio_of = [&](const sums& sums) {
        return static_cast<double>(percentage(sums)) / static_cast<double>(target_pct);
    };
    proposal out;
    out.utilization_pct = percentage(seen.measured);
    out.usage_milli = seen.measured.usage / seen.measured.matched;
    out.ratio = ratio_of(seen.measured);
    const bool up_unready = seen.unready > 0 && out.ratio > 1.0;
    if (settle_at_once(out, input, seen, up_unready)) return out;

    const std::int64_t full_pct = std::max(100, target_pct);
    const sums assumed = with_assumptions(
        input, by_pod, seen.measured, out.ratio, up_unready,
        [&](const pod_sample* sample) { return multiply_saturating(sample->request_milli, full_pct) / 100; });
    settle(out, input, ratio_of(assumed), assumed.metrics);
    return out;
}

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
    for (const pod& listed : pods) {
        if (listed.phase == pod_phase::running && listed.readiness == readiness::yes) ++count;
    }
    return count;
}

}  // namespace gputide::decide
