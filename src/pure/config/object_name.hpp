// Names of Kubernetes' objects.  They become words of a host's command lines and parts of request paths, so that what no
// cluster accepts is refused where it is read.
#pragma once

#include "config/mapping.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace gputide::config {

// kubernetes/apimachinery pkg/util/validation/validation.go, LabelValueMaxLength: KEDA writes the names of what it scales into labels.
inline constexpr std::size_t longest_label_value = 63;

// kubernetes/apimachinery pkg/util/validation/validation.go, IsDNS1123Label: "ml-prod", at most 63.
bool is_dns_label(std::string_view name);
// The same file, IsDNS1123Subdomain: labels' letters with dots between, "llama.v2", at most 253.
bool is_dns_subdomain(std::string_view name);
// "apps/v1", "v1": a group, which is a subdomain, and a version, which is a label.
bool is_api_version(std::string_view text);
// A custom resource's kind in small letters is a label.
bool is_kind(std::string_view text);

// Add an error at `key` where the value, which may be empty, is none.
void check_dns_label(mapping& fields, const std::string& key, std::string_view name);
void check_dns_subdomain(mapping& fields, const std::string& key, std::string_view name);
void check_target_type(mapping& fields, std::string_view api_version, std::string_view kind);

}  // namespace gputide::config
