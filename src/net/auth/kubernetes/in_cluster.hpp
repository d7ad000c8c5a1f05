// The API server of this process's own cluster, with its pod's service account: environment and files from the kubelet
// (kubernetes/client-go rest.InClusterConfig).
#pragma once

#include "auth/kubernetes/cluster.hpp"

#include <memory>
#include <string>

namespace gputide::auth {

inline constexpr const char* service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

bool is_in_cluster(const surroundings& host);  // KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, both not empty

// `dir` "": service_account_dir.  The CA is read now, the token for each request that needs a new one
// (mounted_token.hpp).
// connection: the host's settings, except the roots, which are the cluster's.
result<cluster> open_in_cluster(const std::string& dir, const http::tls_settings& connection,
                                const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
