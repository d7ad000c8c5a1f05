// Which Kubernetes API server there is to ask, and as whom.  A file each for the two ways to know: in_cluster.hpp,
// kubeconfig.hpp.  Comes in: what the host program chose; goes out: address, access, namespace.  A manifest has no say.
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
    std::string server;      // "https://10.0.0.1:443", no slash at its end
    auth::access access;     // its audience is the server's host alone
    std::string name_space;  // of the caller itself; "": nothing says
    std::string named;       // for messages: "kubeconfig /etc/kube.yaml, context prod"

    bool is_verified() const { return !access.tls || access.tls->verify; }
};

// What the host program says.
struct cluster_choice {
    std::string kubeconfig;           // a file; "": look around
    std::string context;              // one of its contexts; "": its current-context
    std::string service_account_dir;  // token, ca.crt, namespace of a pod; "": where Kubernetes mounts them
    http::tls_settings connection;    // connection_of() the host: its roots count where a kubeconfig names none
    bool read_environment = false;    // KUBECONFIG, and ~/.kube/config
    std::vector<std::string> allowed_programs = {};  // exec plugins that may run; a manifest has its own
};

// In this order: the host's kubeconfig, KUBECONFIG, the pod's service account, ~/.kube/config.
// None of them: class unavailable, with what was looked for.
result<cluster> open_cluster(const cluster_choice& choice, const std::shared_ptr<const surroundings>& host);

// A token for this server goes to its host alone.
audience audience_of(const std::string& server);

}  // namespace gputide::auth
