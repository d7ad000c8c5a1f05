// The Kubernetes API server and the identity to use.  One file for each source of both: in_cluster.hpp, kubeconfig.hpp.
// In: the host program's choice; out: address, access, namespace.  A manifest cannot change it.
#pragma once

#include "auth/authenticator.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <memory>
#include <string>
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

}  // namespace gputide::auth
