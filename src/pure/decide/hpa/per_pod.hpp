// Pods, Resource and ContainerResource metrics: a value per pod becomes a replica count.
// kubernetes/kubernetes pkg/controller/podautoscaler/replica_calculator.go (calcPlainMetricReplicas, GetResourceReplicas) and
// metrics/utilization.go.  Both formulas look at the pods twice: once as measured, and where that alone would be unsafe once
// more with assumed values for the pods that have none.
#pragma once

#include "decide/hpa/pods.hpp"
#include "decide/hpa/proposal.hpp"
#include "decide/hpa/tolerance.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

struct pods_input {
    std::span<const pod> pods;
    std::span<const pod_sample> samples;  // of all metrics; `metric` picks
    std::int32_t metric = 0;
    bool cpu = false;  // resource cpu: readiness counts
    std::int32_t spec_replicas = 0;
    tolerance band;
    grouping by;
    bool is_answered = false;  // a source was asked: no value at all is an empty response of the metrics API
};

// averageValue targets.
//   mean = sum / count over pods with a metric, without unready and ignored ones (integer);  ratio = mean / target
//   nothing unready on the way up and nothing missing: within ? spec : ceil(ratio * ready)
//   else missing pods are assumed at the target (ratio < 1) or at 0 (ratio > 1), unready ones on the way up at 0, and with
//   the new ratio over all these pods: stay where it is within the band or turned its direction, else ceil(ratio2 * pods)
// Worked: 50, 15 and 30 against 15, 3 replicas → mean 31.666 → ratio 2.111 → ceil(2.111 * 3) = 7.
// Worked: 20, 19, 21 against 20 and two pods without a metric → ratio 1, nothing to assume → 5 of 5 stay.
// Metrics of pods that are not listed take part, as upstream; without any listed pod there is no proposal.
proposal pods_average(const pods_input& input, std::int64_t target_milli);

// averageUtilization targets: the same with
//   pct = total usage * 100 / total request over the pods that have both (integer);  ratio = pct / target pct
//   missing pods on the way down are assumed to use request * max(100, target pct) / 100
// Worked: 300, 500, 700 of 1000 each against 30 % → 50 % → ratio 1.667 → ceil(1.667 * 3) = 5.
// The percentage is cut before the ratio is taken: 109.9 % counts as 109 %.  A listed pod without a request is an error.
proposal resource_utilization(const pods_input& input, std::int32_t target_pct);

}  // namespace gputide::decide
