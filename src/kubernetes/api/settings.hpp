// The controller's settings from the host, with the defaults filled in.
#pragma once

#include "auth/tenant.hpp"
#include "base/result.hpp"
#include "manifest/keda_operator.hpp"
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
    std::string selector;                 // label selector of the scalers; "": all
    bool shadow = false;                  // writes nothing, not even a Lease
    std::string owner = "gputide";        // value of gputide.io/owner for this instance
    std::string lease_name = "gputide";
    std::string lease_namespace;  // "": the process's own namespace
    std::string identity;         // name of this instance; "": made from the host name
    std::int64_t lease_duration_ms = 15'000;
    std::int32_t shards = 1;
    std::string cluster_secrets_namespace = "keda";  // namespace of the Secrets of a ClusterTriggerAuthentication
    std::int64_t sync_ms = 15'000;                   // shadow differences shorter than this are ignored
    bool asks_back = false;                          // replicas that get no node
    std::int64_t start_ms = 900'000;                 // a pod that has waited longer for its node gets none
    auth::tenant_grants tenants;                     // additional capabilities of manifests
    std::string token_mode, token_audiences;         // KEDA's flag and variable, as given
    manifest::token_policy tokens;                   // from these two
    // Releases of the HPA controller and of KEDA for manifests that name none; empty: as detected on the cluster.
    std::optional<std::int32_t> hpa_version, keda_version;

    std::optional<std::int32_t> version_of(manifest::original which) const {
        return which == manifest::original::kubernetes ? hpa_version : keda_version;
    }
};

// Returns one row per setting except `tenants`, for the parser and for the table of docs/kubernetes.md.
std::span<const text::setting<settings>> setting_rows();

// Parses YAML or JSON; an empty text gives the defaults.  Error messages name the member with its line and path.
result<settings> read_settings(std::string_view text);

}  // namespace gputide::kubernetes
