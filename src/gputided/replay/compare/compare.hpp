// gputided replay compare: manifests and variants side by side, on one series.
#pragma once

#include "replay/replay.hpp"

#include <string>
#include <vector>

namespace gputided {

struct compare_options {
    replay_options replay;
    std::vector<std::string> against;   // further manifests
    std::vector<std::string> variants;  // "name: setting=value,setting=value" of the first
};

void add_compare(subcommands& commands);

}  // namespace gputided
