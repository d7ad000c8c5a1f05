// The keys of triggers whose numbers come from the host.
#pragma once

#include "base/result.hpp"
#include "config/field.hpp"
#include "source/source.hpp"

namespace gputide::source::values {

using config::value_type;

inline constexpr auto pushed_keys = config::fields({
    {.names = {"threshold", "targetValue", "value"},
     .type = value_type::number,
     .required = true,
     .meaning = "the target"},
    {.names = {"activationThreshold", "activationTargetValue", "activationValue"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

// kedacore/keda pkg/scalers/cpu_memory_scaler.go
inline constexpr auto resource_keys = config::fields({
    {.names = {"value"},
     .required = true,
     .range = "Utilization: a whole percentage above 0; AverageValue: a quantity above 0 such as `500m` or `2Gi`",
     .meaning = "the target: percent of the pods' requests, or use per pod"},
    {.names = {"type"},
     .otherwise = "the trigger's `metricType`",
     .range = "`Utilization`, `AverageValue`",
     .meaning = "the old place of `metricType`"},
    {.names = {"containerName"}, .otherwise = "all of the pod", .meaning = "one container instead"},
});

// Triggers with numbers of the host: `values`, which it pushes, and cpu and memory, which it observes per pod.  They carry a
// target for the decision and can be asked for nothing.

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
