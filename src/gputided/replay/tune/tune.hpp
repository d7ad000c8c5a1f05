// gputided replay tune: the settings that need the fewest GPU-hours within the user's limits.
#pragma once

#include "replay/replay.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputided {

struct tune_options {
    replay_options replay;
    double most_above = -1.0;         // minutes above target per day; -1: no limit
    double most_flaps = -1.0;         // per day
    std::int32_t most_replicas = -1;  // at any time
    std::vector<std::string> tries;   // name=low:high:step or name=value,value; empty: the usual ones
    std::int32_t candidates = 400;
    double holdout = 0.3;   // the last part of the series, for validation alone
    std::int32_t jobs = 0;  // threads; 0: one per core
    bool all = false;       // list each rejected candidate
};

void add_tune(subcommands& commands);

}  // namespace gputided
