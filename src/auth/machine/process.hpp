// The real thing behind surroundings::start_program(): posix_spawn, no shell, no thread, no signal handler.
#pragma once

#include "auth/machine/surroundings.hpp"

#include <memory>
#include <string>
#include <vector>

namespace gputide::auth {

// The child gets the environment as it is but for `variables`, /dev/null as its stdin, none of the host's descriptors, and a
// process group of its own, which is killed as a whole: at the latest when it has printed more than a token has.
result<std::unique_ptr<child_program>> spawn_program(const std::vector<std::string>& arguments,
                                                     const std::vector<secret_text>& variables = {});

}  // namespace gputide::auth
