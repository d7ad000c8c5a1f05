// The implementation of surroundings::start_program(): posix_spawn, no shell, no thread, no signal handler.
#pragma once

#include "auth/machine/surroundings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

// The child gets the current environment with `variables`, /dev/null as its stdin, none of the host's descriptors, and
// its own process group.  The whole group is killed, at the latest when the child has printed more than a token's size.
result<std::unique_ptr<child_program>> spawn_program(const std::vector<std::string>& arguments,
                                                     const std::vector<secret_text>& variables = {});

}  // namespace gputide::auth
