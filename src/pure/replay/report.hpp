// A replay as JSON: figures, curves, events.  docs/replay.md defines the names.
#pragma once

#include "replay/run.hpp"

#include <string>

namespace gputide::replay {

std::string report_json(const replayer& replayer);

}  // namespace gputide::replay
