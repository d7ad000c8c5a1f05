// Triggers whose numbers the host has: `values`, which it pushes, and cpu and memory, which it observes per pod.  They carry a
// target for the decision and can be asked for nothing.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"

namespace gputide::source::values {

// type values: metadata threshold (or targetValue, or value), activationThreshold (or activationTargetValue, or
// activationValue).
result<description> describe_pushed(const config::trigger& trigger, const config::trigger_rules& rules,
                                    config::profile profile, config::report* findings);

// type cpu, memory (kedacore/keda pkg/scalers/cpu_memory_scaler.go): metadata value, a percentage for Utilization and a
// quantity for AverageValue; containerName; the old metadata `type` instead of metricType.
result<description> describe_resource(const config::trigger& trigger, const config::trigger_rules& rules,
                                      config::profile profile, config::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::values
