// The Kubernetes API server and the identity to use.  A pod finds both in its own files; kubeconfig.hpp reads a kubeconfig.
// In: the host program's choice; out: address, access, namespace.  A manifest cannot change it.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/credential.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::auth {

struct cluster {
    std::string server;      // "https://10.0.0.1:443", no trailing slash
    auth::access access;     // its only audience host is the server
    std::string name_space;  // of the caller itself; "": unknown
    std::string named;       // for messages: "kubeconfig /etc/kube.yaml, context prod"

    bool is_verified() const { return !access.tls || access.tls->verify; }
};

// Options of the host program.
struct cluster_choice {
    std::string kubeconfig;           // a file; "": search the usual places
    std::string context;              // one of its contexts; "": its current-context
    std::string service_account_dir;  // token, ca.crt, namespace of a pod; "": where Kubernetes mounts them
    http::tls_settings connection;    // connection_of() the host: its roots apply if a kubeconfig names none
    bool read_environment = false;    // KUBECONFIG, and ~/.kube/config
    std::vector<std::string> allowed_programs = {};  // exec plugins that may run; a manifest has its own list
};

// Tries in this order: the host's kubeconfig, KUBECONFIG, the pod's service account, ~/.kube/config.
// If there is none: class unavailable, with the places that were tried.
result<cluster> open_cluster(const cluster_choice& choice, const std::shared_ptr<const surroundings>& host);

// Returns an audience that includes only this server's host.
audience audience_of(const std::string& server);

// Reads a bearer token in a file that another process replaces before it expires (a pod's service-account token): the current
// content, trimmed.  Missing, empty or not a token: class config, retryable if it may pass.
result<secret_text> read_mounted_token(const surroundings& host, const std::string& path);

// Tells whether a text can be a token in an Authorization header: one word of printable ASCII.
bool is_token_text(std::string_view text);

// Opens the token of such a file.  The first request of each second and the first after a refusal (401) read the token
// again.  If reading fails, the last token is used, as in client-go, which reads each minute (kubernetes/client-go
// transport/token_source.go).  The scope is ignored.
std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host);

inline constexpr const char* service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

bool is_in_cluster(const surroundings& host);  // KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, both not empty

// Opens the API server of this process's own cluster with its pod's service account, from the kubelet's environment and
// files (kubernetes/client-go rest.InClusterConfig).  `dir` "": service_account_dir.  The CA is read now, the token for
// each request that needs a new one (open_mounted_token).
// connection: the host's settings, except the roots, which are the cluster's.
result<cluster> open_in_cluster(const std::string& dir, const http::tls_settings& connection,
                                const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
