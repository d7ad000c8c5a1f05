// Bearer tokens from outside the clouds: a file that another process keeps up to date, a program that prints one.
// The audience is unknown, so the token is sent only to hosts that the host program names.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

// `path` is below permissions.secrets_dir: relative to it, or absolute; no part of it is "..".  The file is read again
// after a minute at most, as in Kubernetes' own clients, since its renewal is not announced.
result<std::shared_ptr<credential>> open_bearer_file(const std::string& path, const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

// command[0] is the program, as in permissions.allowed_programs.  An argument {scope} is replaced by the scope.
// A token without an expiry is fetched again after five minutes.
result<std::shared_ptr<credential>> open_bearer_exec(std::vector<std::string> command,
                                                     const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
