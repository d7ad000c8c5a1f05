// The flags of each subcommand, and which of them was chosen.
#pragma once

#include "commands.hpp"

#include <functional>
#include <optional>

namespace gputided {

// Runs the chosen subcommand; its exit code.
using command = std::function<int()>;

// Nothing: help or a usage error was printed, and exit_status holds what the shell gets.
std::optional<command> read_command_line(int argc, char** argv, int& exit_status);

}  // namespace gputided
