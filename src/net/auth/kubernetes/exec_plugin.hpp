// A program that provides cluster credentials, as kubelogin does for AKS: client.authentication.k8s.io, v1 and v1beta1
// (kubernetes/client-go plugin/pkg/client/auth/exec).  It runs without a shell and without a terminal, supervised by
// the loop's timers.  One run serves all waiting callers, and its credential is used until shortly before its expiry,
// or until a 401.
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
    std::string api_version;                        // its output must have the same
    std::vector<std::string> command;               // [0] is the program, allowed by the host
    std::vector<secret_text> variables;             // "NAME=value", KUBERNETES_EXEC_INFO among them
    std::string install_hint;                       // printed if the program is missing
    std::shared_ptr<const http::tls_settings> tls;  // of the cluster; a client certificate goes into a copy
};

// Parses the program's output: a token, a client certificate with its key, or both.  Class protocol for another format,
// with its place and never its content; retryable if the credential has expired.
result<token> read_exec_credential(const secret_text& printed, const exec_plugin& plugin, std::int64_t wall_ms,
                                   std::int64_t steady_ms);

std::shared_ptr<credential> open_exec_plugin(exec_plugin plugin, std::shared_ptr<const surroundings> host);

// The member exec of a kubeconfig's user (kubernetes/client-go tools/clientcmd/api/v1 ExecConfig).

// Resolves a command as kubectl does: with a slash and no root it is relative to the kubeconfig's folder; without a
// slash it is looked up in PATH.  It must be listed in `allowed_programs`, otherwise the error names that option.
// `tls`: of `cluster`, already read.
result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs);

}  // namespace gputide::auth
