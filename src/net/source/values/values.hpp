// The trigger types values, cpu and memory: keys and targets; their values come from the host program.
#pragma once

#include "base/result.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

namespace gputide::source::values {

inline constexpr auto pushed_keys = text::fields({
    {.names = "threshold targetValue value", .type = value_type::number, .required = true, .meaning = "the target"},
    {.names = "activationThreshold activationTargetValue activationValue",
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

// kedacore/keda pkg/scalers/cpu_memory_scaler.go
inline constexpr auto resource_keys = text::fields({
    {.names = {"value"},
     .required = true,
     .range = "Utilization: a whole percentage above 0; AverageValue: a quantity above 0 such as `500m` or `2Gi`",
     .meaning = "the target: percent of the pods' requests, or usage per pod"},
    {.names = {"type"},
     .otherwise = "the trigger's `metricType`",
     .range = "`Utilization`, `AverageValue`",
     .meaning = "the deprecated place of `metricType`"},
    {.names = {"containerName"}, .otherwise = "all of the pod", .meaning = "one container instead"},
});

// Triggers with values from the host program: `values`, which it pushes, and cpu and memory, which it observes per pod.
// They have a target but cannot be fetched.

// Describes type values: metadata threshold (or targetValue, or value), activationThreshold (or activationTargetValue, or
// activationValue).
result<description> describe_pushed(trigger_reader& read);

// Describes types cpu and memory (kedacore/keda pkg/scalers/cpu_memory_scaler.go): metadata `value`, a percentage for Utilization
// and a quantity for AverageValue; containerName; the deprecated `type` instead of metricType.
result<description> describe_resource(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::values
