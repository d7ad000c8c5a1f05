// The keys of triggers whose numbers the host has.
#pragma once

#include "config/field.hpp"

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

}  // namespace gputide::source::values
