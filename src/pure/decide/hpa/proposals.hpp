// Proposals: each metric proposes a number of replicas, and the largest proposal wins. kubernetes/kubernetes
// pkg/controller/podautoscaler/replica_calculator.go and horizontal.go (computeReplicasForMetrics).
#pragma once

#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gputide::decide {

struct readings;

// The proposal of one metric, or the reason why it is missing.
struct proposal {
    metric_failure failure = metric_failure::none;
    bool within_tolerance = false;
    bool from_fallback = false;            // the value is that of the fallback
    bool held = false;                     // no data, and the trigger's no-data rule keeps the size
    bool guarded = false;                  // changed by the in-flight guard
    std::int32_t replicas = 0;             // if failure is none
    double ratio = 0.0;                    // usage ratio: above 1 means more replicas
    std::int64_t total_milli = 0;          // Pods: the sum over the pods that count
    std::int64_t usage_milli = 0;          // as the HPA reports it: sum, per pod (rounded up), or integer mean
    std::int32_t utilization_pct = 0;      // Utilization targets only
    std::int32_t pod = -1;                 // missing_request: index of the pod
    std::int32_t metric = -1;              // index into policy.metrics, or composite_metric
    sample_state read = sample_state::ok;  // of the failed read
};

// ---- tolerance: replica_calculator.go (Tolerances.isWithin, since 1.33; KEP 4951)

// The band of the usage ratio around 1 in which the size stays.
struct tolerance {
    double low = 0.9;
    double high = 1.1;
};

// Returns the band of two tolerances.  Upstream compares (1.0 - down) <= ratio and ratio <= (1.0 + up).
inline tolerance tolerance_band(double up, double down) noexcept { return {1.0 - down, 1.0 + up}; }

// Tells whether the ratio is within the band.  Both ends are included; NaN is never within.
// Example: exactly 1.1 and exactly 0.9 are within 0.1. (Before 1.33 the test was |1.0 - ratio| <= 0.1, and 1.1 was outside,
// because |1 - 1.1| is 0.10000000000000009 in binary64.)
inline bool within(const tolerance& band, double ratio) noexcept { return band.low <= ratio && ratio <= band.high; }

// Returns the band of behavior.scaleUp.tolerance and behavior.scaleDown.tolerance; without behavior the band of the
// controller's flag.
tolerance tolerance_of(const policy& policy) noexcept;

// Returns the band of one metric: gputide.io/scale-up-above and -scale-down-below replace one side each.  Both have the unit
// of the metric's target (per replica for averageValue, percent for averageUtilization).
// Example: target 60, up above 80, down below 30 → 1.333 and 0.5: at 4 replicas a mean of 70 changes nothing; 84 gives
// ceil(5.6) = 6.
tolerance tolerance_of(const metric_policy& metric, const tolerance& general) noexcept;
tolerance tolerance_of(const metric_policy& metric, double target, const tolerance& general) noexcept;

// ---- External and Object metrics, a single value each: replica_calculator.go (GetExternalMetricReplicas,
// GetExternalPerPodMetricReplicas, GetObjectMetricReplicas, GetObjectPerPodMetricReplicas)

struct ready_pods {
    std::int32_t count = 0;  // pods with phase Running and condition Ready
    bool any_listed = true;  // false: the selector matched no pod, which is an error if the count is needed
};

// Computes the replicas for a Value target.
//   ratio = usage / target
//   at 0 replicas: ceil(ratio); within the tolerance: spec replicas; else ceil(ratio * ready pods)
// Example: usage 8.6, target 4.4, 3 replicas, 1 ready → ratio 1.9545 → ceil(1.9545 * 1) = 2.
// Starting pods do not count.  0 ready pods and a ratio outside the band give 0, and therefore the minimum.
proposal value_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t spec_replicas,
                        const ready_pods& ready, const tolerance& band) noexcept;

// Computes the replicas for an AverageValue target, which nearly every KEDA trigger has.
//   n = status replicas;  ratio = usage / (target * n)        (n = 0: infinity, or NaN if usage is 0)
//   within the tolerance: n; else ceil(usage / target)
// Examples: usage 20.166, target 5, 4 replicas → ratio 1.0083 → 4; per pod ceil(20166m / 4) = 5042m.
//           usage 31, target 5, 6 replicas → ratio 1.0333 → 6;  0 replicas, usage 12 → ceil(2.4) = 3.
proposal average_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t status_replicas,
                          const tolerance& band) noexcept;

// ---- groups of pods: replica_calculator.go (groupPods)

enum class pod_group : std::int32_t { ready = 0, unready = 1, missing = 2, ignored = 3 };

// Input of the grouping: the time, the controller's two periods for starting pods, and its version.
struct grouping {
    std::int64_t now_ms = 0;
    std::int64_t cpu_initialization_ms = 300'000;
    std::int64_t initial_readiness_ms = 30'000;
    bool ignores_succeeded = false;  // from Kubernetes 1.38 on
};

// Returns the group of a pod, by the first rule that matches:
//   1. deleting, or phase Failed (from 1.38 on also Succeeded) → ignored
//   2. phase Pending                              → unready
//   3. no metric                                  → missing
//   4. resource cpu: no Ready condition or no start time → unready.  While start + cpu_initialization > now: unready if
//      Ready is False or the sample is older than the Ready change plus its window.  Later: unready if Ready is False
//      and start + initial_readiness > the Ready change (the pod has never been ready)
//   5. ready
// Example (4): started 60 s ago, ready 30 s ago, sample of now with a window of 30 s → -30 + 30 = 0, not older → ready.
// `sample`: the pod's sample of this metric; null or without a value: missing.
pod_group group_of(const pod& pod, const pod_sample* sample, bool cpu, const grouping& by) noexcept;

// Tells whether a sample has a value, not only the pod's request.
inline bool has_value(const pod_sample* sample) noexcept { return sample != nullptr && sample->value_milli != absent; }

// ---- Pods, Resource and ContainerResource metrics, a value per pod: replica_calculator.go (calcPlainMetricReplicas,
// GetResourceReplicas) and metrics/utilization.go.  Both formulas first sum the measured values.  If pods without a usable
// value could change the result, they sum again with assumed values for these pods.

struct pods_input {
    std::span<const pod> pods;
    std::span<const pod_sample> samples;  // of all metrics; filtered by `metric`
    std::int32_t metric = 0;
    bool cpu = false;  // resource cpu: readiness counts
    std::int32_t spec_replicas = 0;
    tolerance band;
    grouping by;
    bool is_answered = false;  // a source was read: no value at all is an empty response of the metrics API
};

// Computes the replicas for an averageValue target.
//   mean = sum / count over pods with a metric, without unready and ignored pods (integer);  ratio = mean / target
//   no unready pod (if ratio > 1) and no missing pod: within the band → spec replicas, else ceil(ratio * ready)
//   else missing pods are assumed at the target (ratio < 1) or at 0 (ratio > 1), unready pods at 0 (ratio > 1).  If the
//   new ratio over all these pods is within the band or changes direction, the size stays; else ceil(ratio2 * pods)
// Examples: 50, 15 and 30, target 15, 3 replicas → mean 31.666 → ratio 2.111 → ceil(2.111 * 3) = 7.
//           20, 19, 21, target 20 and two pods without a metric → ratio 1, nothing to assume → 5 of 5 stay.
// As upstream, metrics of pods that are not listed are included; without any listed pod the proposal fails.
proposal pods_average(const pods_input& input, std::int64_t target_milli);

// Computes the replicas for an averageUtilization target: the same with
//   pct = total usage * 100 / total request over the pods that have both (integer);  ratio = pct / target pct
//   missing pods (ratio < 1) are assumed to use request * max(100, target pct) / 100
// Example: 300, 500, 700 of 1000 each, target 30 % → 50 % → ratio 1.667 → ceil(1.667 * 3) = 5.
// The percentage is cut before the ratio is taken: 109.9 % counts as 109 %.  A listed pod without a request is an error.
proposal resource_utilization(const pods_input& input, std::int32_t target_pct);

// ---- combining all proposals into one recommendation: horizontal.go (computeReplicasForMetrics)

struct combined {
    bool valid = false;         // false: the metrics do not allow a change
    std::int32_t replicas = 0;  // the raw recommendation if valid; below 0 counts as 0
    std::int32_t winner = -1;   // index of the metric with the largest proposal
    std::int32_t failed = 0;
    std::int32_t first_failed = -1;
};

// Combines proposals.  The largest wins; of equal ones the first.  A failed metric forbids scaling down; keeping the size and
// scaling up continue with the other metrics.
//   not valid if all failed, or if any failed and the largest is below the current size
// Examples: size 5; 3 and an error → not valid.  Size 3; 4 and an error → 4, and the error is reported.
combined combine_proposals(std::span<const proposal> metrics, std::int32_t spec_replicas) noexcept;

// Returns the number of proposals: one per metric; with scalingModifiers all External metrics form one composite metric.
// Inline for the usual case.
std::size_t proposal_count_of_formula(const policy& policy) noexcept;
inline std::size_t proposal_count(const policy& policy) noexcept {
    return policy.formula == nullptr ? policy.metrics.size() : proposal_count_of_formula(policy);
}

// Fills `out`, which must have proposal_count() elements, in the order in which the HPA reads its metrics.
void propose_all(const policy& policy, const observation& observation, const readings& readings,
                 std::span<proposal> out);

}  // namespace gputide::decide
