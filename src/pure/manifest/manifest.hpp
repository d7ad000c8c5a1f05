// Sorts documents by kind: scaling manifests, TriggerAuthentications, Secrets, ConfigMaps.  The collection borrows the
// documents; unsupported kinds and versions become findings that name the accepted ones.
#pragma once

#include "manifest/names.hpp"
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

// A workload or a LimitRange next to a scaling manifest, read for the resource requests of the pods (scalers.hpp).
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
    std::vector<manifest> stores;  // Secrets, ConfigMaps and TokenRequests
    std::vector<other_object> others;

    // Returns the first store of that kind and name in the namespace; an empty namespace matches every namespace.
    const manifest* find_store(document_kind kind, std::string_view name, std::string_view name_space) const;
};

// Sorts `documents`, which must not move as long as the collection lives, and replaces ${NAME} in them.
collection collect(std::vector<document>& documents, const environment_lookup& environment, report& findings);

}  // namespace gputide::manifest
