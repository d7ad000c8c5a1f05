// Bearer tokens from outside the clouds: from a file that another process keeps current, or from a program that prints a token.
// The audience is unknown, so the token is sent only to hosts that the host program names.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

// Opens a token file.  `path` must be below permissions.secrets_dir: relative to it or absolute, without "..".  The file is read
// again after at most a minute, like in Kubernetes clients, because nothing announces its renewal.
result<std::shared_ptr<credential>> open_bearer_file(const std::string& path, const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

// Opens a program. command[0] is the program, as in permissions.allowed_programs.  The scope replaces an argument {scope}. A
// token without an expiry is fetched again after five minutes.
result<std::shared_ptr<credential>> open_bearer_exec(std::vector<std::string> command,
                                                     const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
