// Identities of Kubernetes objects, the rules for their names and labels, and label selectors.
#pragma once

#include "base/result.hpp"
#include "manifest/scaling.hpp"
#include "text/mapping.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
    token_request = 7,  // of a service account, with its token
};

std::string_view kind_text(document_kind kind);  // as in the member `kind`: "ScaledObject"

struct object_identity {
    document_kind kind = document_kind::scaled_object;
    std::string name_space;  // "": cluster-scoped
    std::string name;

    friend auto operator<=>(const object_identity&, const object_identity&) = default;
    std::string text() const;  // for messages: "Secret ml/llm"
};

// Rules for names of Kubernetes objects.  Names become arguments of a host's command lines and parts of request paths, so
// names that no cluster accepts are rejected when they are read.

// kubernetes/apimachinery pkg/util/validation/validation.go, LabelValueMaxLength: KEDA writes the names of scaled objects
// into labels.
inline constexpr std::size_t max_label_bytes = 63;

// Tells whether a name is a DNS label such as "ml-prod", at most 63 characters (IsDNS1123Label in the same file).
bool is_dns_label(std::string_view name);
// Tells whether a name is a DNS subdomain: labels joined by dots, "llama.v2", at most 253 characters (IsDNS1123Subdomain).
bool is_dns_subdomain(std::string_view name);
// Tells whether a text is an apiVersion: "apps/v1", "v1".
bool is_api_version(std::string_view text);
// Tells whether a text is a kind: in lower case it must be a DNS label.
bool is_kind(std::string_view text);

// Report an error at `key` if the value, which may be empty, is not valid.
void check_dns_label(mapping& fields, const std::string& key, std::string_view name);
void check_dns_subdomain(mapping& fields, const std::string& key, std::string_view name);
void check_target_type(mapping& fields, std::string_view api_version, std::string_view kind);

// A label selector as text, "app=llm,tier in (a,b),!canary" (kubernetes/apimachinery pkg/labels/selector.go @v0.37.2).

enum class label_operator : std::int32_t { equal, not_equal, in, not_in, exists, absent, above, below };

struct label_requirement {
    std::string key;
    label_operator op = label_operator::exists;
    std::vector<std::string> values;
};

// Parses a selector as the API server does; "" selects every object.  Fails with class config if the API server rejects it.
result<std::vector<label_requirement>> read_label_query(std::string_view text);

// Reads {matchLabels, matchExpressions}.
label_selector read_label_selector(const cursor& block, report& findings);

// Appends the selector of all metrics that KEDA serves for a ScaledObject, in one form of a label_selector.
void append_keda_selector(std::string& out, std::string_view scaled_object, std::string label_selector::*form);

}  // namespace gputide::manifest
