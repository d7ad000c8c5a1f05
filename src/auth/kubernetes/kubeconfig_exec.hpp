// The member exec of a kubeconfig's user (kubernetes/client-go tools/clientcmd/api/v1 ExecConfig).
#pragma once

#include "auth/kubernetes/exec_plugin.hpp"
#include "auth/kubernetes/kubeconfig_entry.hpp"
#include "base/result.hpp"
#include "http/message.hpp"

#include <string>
#include <vector>

namespace gputide::auth {

// A command with a slash and no root is relative to the kubeconfig's folder, as kubectl has it; one without a slash is
// looked for in PATH.  It is what `allowed_programs` names, or it is refused, with the option's name.
// `tls`: of `cluster`, read already.
result<exec_plugin> read_exec(const kubeconfig_entry& user, const kubeconfig_entry& cluster,
                              const http::tls_settings& tls, const std::vector<std::string>& allowed_programs);

}  // namespace gputide::auth
