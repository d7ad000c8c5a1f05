// Which subcommand was chosen, and what it was given.
#pragma once

#include "common/subcommand.hpp"

#include <optional>

namespace gputided {

// Nothing: help or a usage error was printed, and status holds what the shell gets.
std::optional<command> read_command_line(int argc, char** argv, int& status);

}  // namespace gputided
