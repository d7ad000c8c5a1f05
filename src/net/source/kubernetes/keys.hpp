// The keys of a kubernetes trigger.
#pragma once

#include "config/field.hpp"

namespace gputide::source::kubernetes {

using config::value_type;

inline constexpr auto keys = config::fields({
    {.names = {"api"},
     .required = true,
     .allowed = {"custom", "external", "resource"},
     .meaning = "`custom.metrics.k8s.io` (of pods or of an object), `external.metrics.k8s.io`, or `metrics.k8s.io` "
                "(what pods and containers use)"},
    {.names = {"apiVersion"},
     .allowed = {"v1beta1", "v1beta2"},
     .otherwise = "custom: the newest that the server has",
     .meaning = "of the custom API; the others have `v1beta1` alone"},
    {.names = {"metric"}, .required = true, .meaning = "the metric's name; resource: `cpu`, `memory`, …"},
    {.names = {"namespace"}, .otherwise = "the manifest's", .meaning = "where to look"},
    {.names = {"selector"},
     .otherwise = "all",
     .range = "`a=b`, `a!=b`, `a in (x,y)`, `a notin (x)`, `a`, `!a`, joined by commas",
     .meaning = "labels of the pods (custom, resource) or of the series (external)"},
    {.names = {"metricSelector"},
     .otherwise = "all",
     .range = "as `selector`",
     .meaning = "custom: labels of the metric itself"},
    {.names = {"object"},
     .otherwise = "the pods that `selector` chooses",
     .range = "`<plural>[.<group>]/<name>`, as `services/llm`, `deployments.apps/llm`, `namespaces/ml`",
     .meaning = "custom: one object that has the metric"},
    {.names = {"scope"},
     .allowed = {"namespaced", "cluster"},
     .fallback = "namespaced",
     .meaning = "custom: `cluster` for an `object` without a namespace, such as `nodes/gpu-1`"},
    {.names = {"container"}, .otherwise = "all of the pod", .meaning = "resource: one container instead"},
    {.names = {"threshold"}, .type = value_type::number, .required = true, .meaning = "the target"},
    {.names = {"activationThreshold"},
     .type = value_type::number,
     .fallback = "0",
     .meaning = "above it the workload is active"},
});

}  // namespace gputide::source::kubernetes
