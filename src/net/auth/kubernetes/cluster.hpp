// Finds the Kubernetes API server and the identity to use.  A pod has both in its own files; kubeconfig.hpp reads a kubeconfig.
// The host program makes the choice; a manifest cannot change it.
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
    auth::access access;     // its audience is only the server's host
    std::string name_space;  // the caller's own; "": unknown
    std::string named;       // for messages: "kubeconfig /etc/kube.yaml, context prod"

    bool is_verified() const { return !access.tls || access.tls->verify; }
};

// Options of the host program.
struct cluster_choice {
    std::string kubeconfig;           // a file; "": search the usual places
    std::string context;              // one of the file's contexts; "": current-context
    std::string service_account_dir;  // folder with token, ca.crt, namespace; "": where Kubernetes mounts it
    http::tls_settings connection;    // connection_of() the host; its roots apply if a kubeconfig names none
    bool read_environment = false;    // read KUBECONFIG and ~/.kube/config
    // Exec plugins that may run; separate from the list for manifests
    std::vector<std::string> allowed_programs = {};
};

// Opens the first of: the host's kubeconfig, KUBECONFIG, the pod's service account, ~/.kube/config.  If none exists: class
// unavailable, with the places that were tried.
result<cluster> open_cluster(const cluster_choice& choice, const std::shared_ptr<const surroundings>& host);

// Returns an audience that includes only this server's host.
audience audience_of(const std::string& server);

// Reads a token file that another process replaces before expiry (a pod's service-account token) and trims its content.  A
// missing or empty file, or one without a token, is class config; retryable if the problem may be temporary.
result<secret_text> read_mounted_token(const surroundings& host, const std::string& path);

// Tells whether a text can be used as a token in an Authorization header: one word of printable ASCII.
bool is_token_text(std::string_view text);

// Opens such a token file.  It is read again by the first request of each second and by the first request after a 401.  If that
// fails, the last token is used, as in client-go, which reads each minute (kubernetes/client-go transport/token_source.go).  The
// scope is ignored.
std::shared_ptr<credential> open_mounted_token(std::string path, std::shared_ptr<const surroundings> host);

inline constexpr const char* service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

// KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are set and not empty
bool is_in_cluster(const surroundings& host);

// Opens the API server of this process's own cluster with its pod's service account, from the environment and files of the
// kubelet (kubernetes/client-go rest.InClusterConfig).  Empty `dir`: service_account_dir.  Reads the CA now, and the token for
// each request that needs a new one (open_mounted_token). connection: the host's settings, except the roots, which are the
// cluster's.
result<cluster> open_in_cluster(const std::string& dir, const http::tls_settings& connection,
                                const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
