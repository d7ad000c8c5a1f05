// A cluster and a user from kubeconfig files, as kubectl reads them (kubernetes/client-go tools/clientcmd).
// Token, token file, client certificate, user name and password, exec plugin (exec_plugin.hpp); CA, server name.  Auth
// providers, proxies and impersonation are rejected by name: without them requests would have another identity, or
// none.
#pragma once

#include "auth/kubernetes/cluster.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

struct kubeconfig_choice {
    std::vector<std::string> files;                  // the first one that defines a name wins
    std::string context;                             // "": current-context
    http::tls_settings connection;                   // the host's settings; its roots apply if the cluster names none
    bool skip_missing = false;                       // of several files, unreadable ones are skipped
    std::vector<std::string> allowed_programs = {};  // that may run as exec plugins
};

// Relative paths in a file are relative to its folder.  Certificates and keys are read now, a token file as described
// in mounted_token.hpp.  Errors name file, line and key, never a secret value.
result<cluster> open_kubeconfig(const kubeconfig_choice& choice, const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
