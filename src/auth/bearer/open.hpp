// Bearer tokens from outside every cloud: a file that somebody keeps fresh, a program that prints one.
// Neither says whom its token is for: it goes to the hosts that the host program names, and to no other.
#pragma once

#include "auth/credential.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

// `path` lies below permissions.secrets_dir: relative to it, or absolute; no part of it is "..".  The file is read again
// after a minute at most, as Kubernetes' own clients do, since who renews it says nothing.
result<std::shared_ptr<credential>> open_bearer_file(const std::string& path, const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

// command[0] is the program, as permissions.allowed_programs has it.  An argument {scope} is replaced by the scope.
// A token that does not tell its end is taken anew after five minutes.
result<std::shared_ptr<credential>> open_bearer_exec(std::vector<std::string> command,
                                                     const host_permissions& permissions,
                                                     std::shared_ptr<const surroundings> host);

}  // namespace gputide::auth
