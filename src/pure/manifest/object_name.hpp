// Names of Kubernetes' objects: their identity, and which names a cluster accepts.
#pragma once

#include "text/mapping.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::manifest {

using namespace text;

enum class document_kind : std::int32_t {
    scaled_object = 0,
    horizontal_pod_autoscaler = 1,
    trigger_authentication = 2,
    cluster_trigger_authentication = 3,
    secret = 4,
    config_map = 5,
    scaled_job = 6,
};

std::string_view kind_text(document_kind kind);  // as in the member `kind`: "ScaledObject"

struct object_identity {
    document_kind kind = document_kind::scaled_object;
    std::string name_space;  // "": the object belongs to no namespace
    std::string name;

    friend auto operator<=>(const object_identity&, const object_identity&) = default;
    std::string text() const;  // for messages: "Secret ml/llm"
};

// Names of Kubernetes' objects.  They become words of a host's command lines and parts of request paths, so that what no
// cluster accepts is refused where it is read.

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

}  // namespace gputide::manifest
