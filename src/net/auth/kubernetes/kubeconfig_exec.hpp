// The member exec of a kubeconfig's user (kubernetes/client-go tools/clientcmd/api/v1 ExecConfig).
#pragma once

#include "auth/kubernetes/exec_plugin.hpp"
#include "auth/kubernetes/kubeconfig_entry.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <string>
#include <vector>

namespace gputide::auth {

// Resolves a command as kubectl does: with a slash and no root it is relative to the kubeconfig's folder; without a
// slash it is looked up in PATH.  It must be listed in `allowed_programs`, otherwise the error names that option.
// `tls`: of `cluster`, already read.
result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs);

}  // namespace gputide::auth
