// The host's settings for the controller; every default filled in.
#pragma once

#include "auth/tenant.hpp"
#include "base/result.hpp"
#include "manifest/versions.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::text {
template <class Settings>
struct setting;
}

namespace gputide::kubernetes {

struct settings {
    std::vector<std::string> namespaces;  // empty: all
    std::string selector;                 // of the scalers' labels; "": all
    bool shadow = false;                  // nothing is written, not even a Lease
    std::string owner = "gputide";        // the value of gputide.io/owner that means this one
    std::string lease_name = "gputide";
    std::string lease_namespace;  // "": the caller's own
    std::string identity;         // of this instance; "": made of the machine's name
    std::int64_t lease_duration_ms = 15'000;
    std::int32_t shards = 1;
    std::string cluster_secrets_namespace = "keda";  // of what a ClusterTriggerAuthentication names
    std::int64_t sync_ms = 15'000;                   // shadow differences shorter than this are ignored
    auth::tenant_grants tenants;                     // what manifests may do beyond the default
    // The releases of the HPA controller and of KEDA, for manifests without one; nothing: as found on the cluster.
    std::optional<std::int32_t> hpa_version, keda_version;

    std::optional<std::int32_t> version_of(manifest::original which) const {
        return which == manifest::original::kubernetes ? hpa_version : keda_version;
    }
};

// One row per setting, but for `tenants`: the members of a text, and the table of docs/kubernetes.md.
std::span<const text::setting<settings>> setting_rows();

// Parses YAML or JSON; an empty text gives the defaults.  Errors name the member, its line and path.
result<settings> read_settings(std::string_view text);

}  // namespace gputide::kubernetes
