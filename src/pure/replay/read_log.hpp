// Reads the log of `gputided run` (its stdout: a line for each decision and for the end of each write,
// docs/decision.md) as a recording: each metric's value at each tick, the sizes, and the decisions themselves for
// comparison.  Text in, values out; reads no file.
#pragma once

#include "replay/recording.hpp"

#include <string_view>

namespace gputide::replay {

// Lines of several scalers are an error unless `name` ("namespace/name") selects one; other scalers' lines are then
// skipped.  "": the first line's scaler.  Lines that are not JSON objects are an error with their number.  An
// unfinished last line is skipped, as a log may still be growing.
result<void> read_log(std::string_view text, std::string_view name, recording& recording);

// Tells whether a text looks like such a log: its first line is a JSON object with "desired_replicas" or "write".
bool looks_like_log(std::string_view text);

}  // namespace gputide::replay
