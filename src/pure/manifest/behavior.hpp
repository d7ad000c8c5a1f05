// Scaling behavior of autoscaling/v2, and how the API server words a value that it does not support.
#pragma once

#include "manifest/kinds.hpp"
#include "manifest/spec.hpp"
#include "text/mapping.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::manifest {

using namespace text;

// Unsupported value: "Replicas": supported values: "Percent", "Pods" (k8s.io/apimachinery pkg/util/validation/field, NotSupported;
// the API server gives its own words in the order of the alphabet, a schema's in the schema's).
std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported);

// spec.behavior of a HorizontalPodAutoscaler (KEDA: advanced.horizontalPodAutoscalerConfig.behavior): as written, with its
// defaults, and what the API server refuses in it.  Pure but for read_behavior, which reads a document.

struct policy_as_written {
    std::string type;  // "Pods", "Percent"
    std::int32_t value = 0;
    std::int32_t period_s = 0;
};

struct rules_as_written {
    std::optional<std::int32_t> window_s;
    std::optional<std::string> select;
    std::optional<std::vector<policy_as_written>> policies;  // an explicit empty list is not the same as none
    std::optional<std::string> tolerance;                    // a quantity: "0.05"
};

struct behavior_as_written {
    std::optional<rules_as_written> up;
    std::optional<rules_as_written> down;
};

void add_violations(report& findings, const cursor& root, std::vector<violation> found);

behavior_as_written read_behavior(const cursor& block, report& findings);

// Fills what is absent, field by field (kubernetes/kubernetes pkg/apis/autoscaling/v2/defaults.go):
//   up    window 0,   select Max, 4 pods or 100 percent per 15 s
//   down  window 300, select Max, 100 percent per 15 s        (300: the controller's flag)
// A given list of policies replaces the whole default list.  Tolerance stays absent: the controller's flag rules then.
behavior_as_written with_defaults(const behavior_as_written& written, std::int32_t downscale_window_s);

// pkg/apis/autoscaling/validation/validation.go, on a behavior with its defaults; `path`: "spec.behavior".
std::vector<violation> validate_behavior(const behavior_as_written& complete, const std::string& path);

// Converts what with_defaults gave and validate_behavior accepted to the form that the spec holds it.
behavior to_behavior(const behavior_as_written& complete, const controller_flags& controller);

// All of it: read, defaults, validation.
std::optional<behavior> load_behavior(const cursor& block, const cursor& root, const controller_flags& controller,
                                      report& findings);

}  // namespace gputide::manifest
