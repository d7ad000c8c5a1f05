// Scaling behavior of autoscaling/v2, and the API server's message for an unsupported value.
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

// Returns `Unsupported value: "Replicas": supported values: "Percent", "Pods"` (k8s.io/apimachinery
// pkg/util/validation/field, NotSupported; the API server sorts its values alphabetically, a schema uses its own order).
std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported);

// spec.behavior of a HorizontalPodAutoscaler (KEDA: advanced.horizontalPodAutoscalerConfig.behavior): as written, with
// defaults, and the errors of the API server.  Only read_behavior reads a document.

struct policy_as_written {
    std::string type;  // "Pods", "Percent"
    std::int32_t value = 0;
    std::int32_t period_s = 0;
};

struct rules_as_written {
    std::optional<std::int32_t> window_s;
    std::optional<std::string> select;
    std::optional<std::vector<policy_as_written>> policies;  // an explicit empty list differs from a missing list
    std::optional<std::string> tolerance;                    // a quantity: "0.05"
};

struct behavior_as_written {
    std::optional<rules_as_written> up;
    std::optional<rules_as_written> down;
};

void add_violations(report& findings, const cursor& root, violations found);

behavior_as_written read_behavior(const cursor& block, report& findings);

// Fills in missing fields (kubernetes/kubernetes pkg/apis/autoscaling/v2/defaults.go):
//   up    window 0,   select Max, 4 pods or 100 percent per 15 s
//   down  window 300, select Max, 100 percent per 15 s        (300: the controller's flag)
// A given list of policies replaces the whole default list.  A missing tolerance stays missing: the controller's flag applies.
behavior_as_written with_defaults(const behavior_as_written& written, std::int32_t downscale_window_s);

// Validates a behavior with its defaults by pkg/apis/autoscaling/validation/validation.go; `path`: "spec.behavior".
violations validate_behavior(const behavior_as_written& complete, const std::string& path);

// Converts a behavior that with_defaults completed and validate_behavior accepted to the form in a spec.
behavior to_behavior(const behavior_as_written& complete, const controller_flags& controller);

// Reads a behavior, adds the defaults and validates it.
std::optional<behavior> load_behavior(const cursor& block, const cursor& root, const controller_flags& controller,
                                      report& findings);

}  // namespace gputide::manifest
