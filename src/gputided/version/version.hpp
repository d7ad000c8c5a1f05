// gputided version: what this is, and what it is built with.
#pragma once

#include "common/subcommand.hpp"

namespace gputided {

void add_version(subcommands& commands);

}  // namespace gputided
