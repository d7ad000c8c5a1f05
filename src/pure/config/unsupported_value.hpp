// Kubernetes' words for a value that is none of those that there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gputide::config {

// Unsupported value: "Replicas": supported values: "Percent", "Pods" (k8s.io/apimachinery pkg/util/validation/field, NotSupported;
// the API server gives its own words in the order of the alphabet, a schema's in the schema's).
std::string unsupported_value(std::string_view value, std::span<const std::string_view> supported);

}  // namespace gputide::config
