// A replay as JSON: the figures, the curves, the events.  The words are docs/replay.md's.
#pragma once

#include "replay/run.hpp"

#include <string>

namespace gputide::replay {

std::string report_json(const replayer& replayer);

}  // namespace gputide::replay
