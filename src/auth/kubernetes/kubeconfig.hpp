// A cluster and a user out of kubeconfig files, as kubectl reads them (kubernetes/client-go tools/clientcmd).
// Token, token file, client certificate, user name and password, exec plugin (exec_plugin.hpp); CA, server name.  Auth
// providers, proxies and impersonation are refused by name: going on without them would ask as somebody else, or nobody.
#pragma once

#include "auth/kubernetes/cluster.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

struct kubeconfig_choice {
    std::vector<std::string> files;  // the first one that defines a name wins
    std::string context;             // "": current-context
    http::tls_settings connection;   // as the host wants it; its roots count where the cluster names none
    bool skip_missing = false;       // of several, those that can be read count
    std::vector<std::string> allowed_programs = {};  // that may run as exec plugins
};

// Relative paths in a file are relative to its folder.  Certificates and keys are read now, a token file as mounted_token.hpp
// says.  Errors name file, line and key; no value of a secret.
result<cluster> open_kubeconfig(const kubeconfig_choice& choice, const std::shared_ptr<const surroundings>& host);

}  // namespace gputide::auth
