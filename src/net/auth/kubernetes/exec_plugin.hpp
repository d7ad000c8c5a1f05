// A program that provides cluster credentials, such as kubelogin for AKS: client.authentication.k8s.io, v1 and v1beta1
// (kubernetes/client-go plugin/pkg/client/auth/exec).  It runs without a shell and a terminal, supervised by the loop's timers.
// One run serves all waiting callers.  Its credential is used until shortly before its expiry, or until a 401.
#pragma once

#include "auth/credential.hpp"
#include "auth/kubernetes/kubeconfig.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "http/message.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

struct exec_plugin {
    std::string named;                              // for messages: "user \"aks\" of /etc/kube/config"
    std::string api_version;                        // the output must have the same
    std::vector<std::string> command;               // [0] is the program, which the host must allow
    std::vector<secret_text> variables;             // "NAME=value", including KUBERNETES_EXEC_INFO
    std::string install_hint;                       // shown if the program is missing
    std::shared_ptr<const http::tls_settings> tls;  // for the cluster; a client certificate goes into a copy
};

// Parses the program's output: a token, a client certificate with its key, or both.  Another format is class protocol, with its
// place but never its content; an expired credential is retryable.
result<token> read_exec_credential(const secret_text& printed, const exec_plugin& plugin, std::int64_t wall_ms,
                                   std::int64_t steady_ms);

std::shared_ptr<credential> open_exec_plugin(exec_plugin plugin, std::shared_ptr<const surroundings> host);

// The member `exec` of a kubeconfig's user (kubernetes/client-go tools/clientcmd/api/v1 ExecConfig).

// Reads it.  Resolves the command like kubectl: a relative path with a slash is relative to the kubeconfig's folder; a name
// without a slash is searched in PATH.  The program must be in `allowed_programs`, otherwise the error names that option.  `tls`:
// the settings of `cluster`.
result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs);

}  // namespace gputide::auth
