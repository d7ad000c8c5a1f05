// The releases of Kubernetes and KEDA that a cluster runs, as far as it tells, and the rules that apply then.  Pure.
#pragma once

#include "base/json_writer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/settings.hpp"
#include "manifest/versions.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gputide::kubernetes {

enum class version_origin : std::int32_t {
    newest = 0,       // nothing was found: the newest release
    settings = 1,     // the host names it
    server = 2,       // the API server's /version
    image = 3,        // the image of KEDA's operator
    definitions = 4,  // fields of KEDA's CustomResourceDefinitions
};
const char* version_origin_name(version_origin origin) noexcept;

struct found_version {
    std::optional<std::int32_t> minor;  // the known version nearest to it; nothing: not found
    version_origin origin = version_origin::newest;
    std::string text;         // as it was found: "v1.37.2", "2.21.0"; "": the text that was found names no release
    std::string message;      // what is to be known of it; "": nothing
    bool is_unknown = false;  // the release is older or newer than all that are known, which the message says
};

struct found_versions {
    found_version kubernetes;
    found_version keda;

    const found_version& of(manifest::original which) const {
        return which == manifest::original::kubernetes ? kubernetes : keda;
    }
    manifest::original_versions versions() const;  // the newest where none was found
};

// Takes a release as a program names it.
found_version version_of_release(manifest::original which, version_origin origin, const std::string& release);

// Returns the versions that hold for a manifest that names none: the host's, else what was found, else the newest.
manifest::original_versions versions_for(const settings& settings, const found_versions& found);

// Returns a sentence: "KEDA 2.21.0, by the image of its operator; the rules of KEDA 2.21 hold".
std::string describe_version(manifest::original which, const settings& settings, const found_versions& found);

// Writes {"hpa":{"rules","from","found","message"},"keda":{...}}.
void write_versions(json_writer& out, const settings& settings, const found_versions& found);

// Finds the releases of Kubernetes and KEDA on a cluster, request after request.  Pure: the caller sends them.
// The HPA's is the API server's own (/version).  KEDA's is the tag of its operator's image: where all namespaces are watched, of a
// Deployment with the operator's label; else of one with its name, as a right to list can be narrowed to a name
// (metadata.name in a fieldSelector, resourceNames in the rule).  Where it is not readable, or its tag names no release, a field tells
// that only newer CustomResourceDefinitions have; every authenticated user may read these as /openapi/v3 (ClusterRole
// system:discovery).

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
