// Detects the releases of Kubernetes and KEDA on a cluster, and selects the rules to follow.  Pure.
#pragma once

#include "base/json_writer.hpp"
#include "kubernetes/api/api.hpp"
#include "kubernetes/api/settings.hpp"
#include "manifest/versions.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::kubernetes {

enum class version_origin : std::int32_t {
    newest = 0,       // not detected: the newest release
    settings = 1,     // set by the host
    server = 2,       // the API server's /version
    image = 3,        // the image of KEDA's operator
    definitions = 4,  // fields in KEDA's CustomResourceDefinitions
};
const char* version_origin_name(version_origin origin) noexcept;

struct found_version {
    std::optional<std::int32_t> minor;  // nearest known version; empty: not detected
    version_origin origin = version_origin::newest;
    std::string text;         // as found: "v1.37.2", "2.21.0"; "": not detected
    std::string message;      // remark for the log and status; "": none
    bool is_unknown = false;  // the release is older or newer than all known ones; `message` says so
};

struct found_versions {
    found_version kubernetes;
    found_version keda;

    const found_version& of(manifest::original which) const {
        return which == manifest::original::kubernetes ? kubernetes : keda;
    }
    manifest::original_versions versions() const;  // the newest version for each that was not detected
};

// Returns the known version nearest to a release text such as "v1.37.2".
found_version version_of_release(manifest::original which, version_origin origin, const std::string& release);

// Returns the versions for a manifest that names none: from the settings, else as detected, else the newest.
manifest::original_versions versions_for(const settings& settings, const found_versions& found);

// Returns a sentence: "KEDA 2.21.0, from its operator's image tag; the rules of KEDA 2.21 apply".
std::string describe_version(manifest::original which, const settings& settings, const found_versions& found);

// Writes {"hpa":{"rules","from","found","message"},"keda":{...}}.
void write_versions(json_writer& out, const settings& settings, const found_versions& found);

// Detects the releases with a sequence of requests, which the caller sends.  Pure.
// The HPA controller's release is the API server's (/version).  KEDA's release is the image tag of its operator.  If all
// namespaces are watched, the operator's Deployment is found by label; otherwise by name, because RBAC can limit list to a name
// (fieldSelector metadata.name with resourceNames).  If the Deployment is not readable or its tag is not a release, a field that
// only newer CustomResourceDefinitions have decides: /openapi/v3 is readable for every authenticated user (ClusterRole
// system:discovery).

class version_search {
  public:
    explicit version_search(const settings& settings);

    // Returns the next request, or empty when the search is over.  Returns the same request until take() is called.
    std::optional<api_request> next() const;
    void take(const reply& reply);

    const found_versions& found() const { return found_; }

  private:
    struct step {
        endpoint target;
        void (version_search::*take)(const reply& reply) = nullptr;
    };

    void take_server(const reply& reply);
    void take_operator(const reply& reply);
    void take_definitions(const reply& reply);

    std::string keda_namespace_;
    std::vector<step> left_;  // the next one last
    found_versions found_;
};

// Returns the tag of an image: "2.21.0" for "registry:5000/kedacore/keda:2.21.0@sha256:..."; "" without a tag.
std::string image_tag(const std::string& image);

}  // namespace gputide::kubernetes
