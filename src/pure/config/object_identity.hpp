// What a Kubernetes object is known by.  Two documents with one identity are one object, wherever they come from.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::config {

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

}  // namespace gputide::config
