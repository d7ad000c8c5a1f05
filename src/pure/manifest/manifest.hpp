// Documents sorted by what they are: scaling manifests, TriggerAuthentications, Secrets, ConfigMaps.  In: documents.
// Out: a collection that borrows from them; wrong kinds and versions become findings that name what is accepted.
#pragma once

#include "manifest/object_name.hpp"
#include "manifest/own/settings.hpp"
#include "text/environment.hpp"
#include "text/mapping.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::manifest {

using namespace text;

// metadata of any Kubernetes object.
struct object_metadata {
    std::string name;
    std::string name_space = "default";
    texts annotations;
    text_places annotation_places;
    std::optional<std::int64_t> created_ms;
};

struct manifest {
    document_kind kind = document_kind::scaled_object;
    std::string version;  // of the apiVersion: "v1alpha1", "v2"
    object_metadata metadata;
    cursor at;  // the whole object

    object_identity identity() const { return {kind, metadata.name_space, metadata.name}; }
};

// A workload or a LimitRange beside a scaling manifest: read for what it says of the pods' resources (warnings.hpp).
struct other_object {
    std::string api_version;
    std::string kind;
    std::string name;
    std::string name_space;
    cursor at;  // the whole object
};

// Documents of one load.
struct collection {
    std::vector<manifest> scalers;  // ScaledObjects and HorizontalPodAutoscalers, in order
    std::vector<manifest> jobs;     // ScaledJobs
    std::vector<manifest> authentications;
    std::vector<manifest> stores;  // Secrets and ConfigMaps
    std::vector<other_object> others;

    // The first of that kind and name in the namespace; an empty namespace matches each.
    const manifest* find_store(document_kind kind, std::string_view name, std::string_view name_space) const;
};

// `documents` must stay where it is as long as the collection lives; ${NAME} is replaced in it on the way.
collection collect(std::vector<document>& documents, const environment_lookup& environment, report& findings);

object_metadata read_metadata(mapping& top, report& findings);

}  // namespace gputide::manifest
