// The flags of gputided replay.
#pragma once

#include "commands.hpp"

namespace gputided {

void add_replay_flags(CLI::App& to, replay_options& with);  // what is replayed, and how
void add_compare_flags(CLI::App& to, compare_options& with);
void add_tune_flags(CLI::App& to, tune_options& with);

}  // namespace gputided
