// Finds the releases of Kubernetes and KEDA on a cluster, request after request.  Pure: the caller sends them.
// The HPA's is the API server's own (/version).  KEDA's is the tag of its operator's image: where all namespaces are watched, of a
// Deployment with the operator's label; else of one with its name, as a right to list can be narrowed to a name
// (metadata.name in a fieldSelector, resourceNames in the rule).  Where it is not readable, or its tag names no release, a field tells
// that only newer CustomResourceDefinitions have; every authenticated user may read these as /openapi/v3 (ClusterRole
// system:discovery).
#pragma once

#include "kubernetes/api/api.hpp"
#include "kubernetes/api/settings.hpp"
#include "kubernetes/api/version_found.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::kubernetes {

class version_search {
  public:
    explicit version_search(const settings& settings)
        : keda_namespace_(settings.cluster_secrets_namespace), is_everywhere_(settings.namespaces.empty()) {}

    // Nothing: the search is over.  The same again until its answer was taken.
    std::optional<api_request> next() const;
    void take(const reply& reply);

    const found_versions& found() const { return found_; }

  private:
    enum class step : std::int32_t {
        server,
        operator_by_name,
        operator_by_label,
        operator_by_old_label,
        definitions,
        over
    };

    endpoint target() const;
    void take_server(const reply& reply);
    void take_operator(const reply& reply);
    void take_definitions(const reply& reply);
    step after_operator() const;

    std::string keda_namespace_;
    bool is_everywhere_;
    step step_ = step::server;
    found_versions found_;
};

// Returns the tag of an image: "registry:5000/kedacore/keda:2.21.0@sha256:..." as "2.21.0"; "" where it has none.
std::string image_tag(const std::string& image);

}  // namespace gputide::kubernetes
