// A resource of a Kubernetes API server: its path, with every name and selector escaped, and its name in RBAC.  Pure.  Paths:
// kubernetes/metrics pkg/client (custom_metrics, external_metrics), kubernetes/client-go.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/kubernetes/cluster.hpp"
#include "base/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace gputide::kube {

inline constexpr std::string_view custom_group = "custom.metrics.k8s.io";
inline constexpr std::string_view external_group = "external.metrics.k8s.io";
inline constexpr std::string_view resource_group = "metrics.k8s.io";

struct endpoint {
    std::string group;             // "custom.metrics.k8s.io"; "": the core API
    std::string version;           // "v1beta1"
    std::string path;              // after the version: "/namespaces/ml/pods/%2A/DCGM_FI_DEV_GPU_UTIL"
    std::string query;             // "?labelSelector=app%3Dllm", or ""
    std::string resource;          // as in an RBAC rule: "pods/DCGM_FI_DEV_GPU_UTIL", "deployments/scale"
    std::string verb;              // as in an RBAC rule: get, list
    bool is_non_resource = false;  // has no group: the path is complete, as for /version

    std::string url() const;  // after the server's address: "/apis/custom.metrics.k8s.io/v1beta1/namespaces/..."
};

// Returns an endpoint without a query.
endpoint resource_at(std::string_view group, std::string version, std::string path, std::string resource,
                     std::string verb);

// An object with its own metric.
struct object_reference {
    std::string resource;         // plural, with its group unless core: "services", "deployments.apps"
    std::string name;             // "*": all objects that the selector matches
    bool cluster_scoped = false;  // has no namespace

    bool is_namespace() const { return resource == "namespaces"; }
};

struct custom_metric_query {
    std::string version;  // v1beta1, v1beta2
    std::string name_space;
    object_reference object;
    std::string metric;
    std::string selector;         // for the objects' labels
    std::string metric_selector;  // for the metric's own labels
};
endpoint custom_metric(const custom_metric_query& wanted);

endpoint external_metric(const std::string& name_space, const std::string& metric, const std::string& selector);

// Returns the endpoint of the containers' usage: metrics.k8s.io.
endpoint pod_metrics(const std::string& name_space, const std::string& selector);

// Returns the endpoint that lists the versions of a group.
endpoint group_versions(std::string_view group);

// Returns the plural resource of a kind in lower case, guessed like client-go without discovery: Service → services, Ingress →
// ingresses, NetworkPolicy → networkpolicies (meta.UnsafeGuessKindToResource).
std::string resource_of_kind(std::string_view kind);

// Returns the group: "apps/v1" → "apps"; "v1" → "".
std::string group_of(std::string_view api_version);

// Tells whether a name may be used in a path: not "", "." or "..", and without "/" and "%" (apimachinery
// pkg/api/validation/path).
bool is_path_segment(std::string_view name);

// Checks that the path of an endpoint matches its names, before any request to the API server is sent.  A name such as ".." or
// one with a "?" would change the path, and an empty name would address a list.  Group: a DNS subdomain; version: a DNS label;
// path: segments other than "", "." and "..", without characters that end a path.  Errors: status invalid.  Pure.
result<void> check_path(const endpoint& endpoint);

// Access to the API server that the host program chose.

struct access {
    std::string server;
    std::string name_space;  // the caller's own; "default" if unknown
    bool verified = true;
    auth::authenticator authenticator;
};

// Opens the access.  If `host` is null (when checking a manifest or compiling a policy), reads nothing; the server is then the
// name that a pod would use.
result<access> open_access(const auth::cluster_choice& choice, const std::shared_ptr<const auth::surroundings>& host,
                           const auth::host_permissions& permissions, std::shared_ptr<auth::token_cache> tokens);

inline constexpr const char* unverified_text =
    "insecure-skip-tls-verify is true: the API server's certificate is not verified, so any host on the way can answer "
    "for it and read the token";

http::request request_for(const access& access, const endpoint& endpoint, std::string accept = "application/json");

}  // namespace gputide::kube
