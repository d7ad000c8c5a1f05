// The log of `gputided run` (its stdout: a line for each decision and for the end of each write, docs/decision.md) as a recording: each metric's value at each
// tick, the sizes, and the decisions themselves to compare with.  Text in, values out; reads no file.
#pragma once

#include "replay/recording.hpp"

#include <string_view>

namespace gputide::replay {

// Lines of another scaler are an error: `name` ("namespace/name"; "": the first one's) says whose are wanted, the others are
// skipped.  Lines that are no JSON object are an error with their number; an unfinished last line is skipped, as a log that
// is still being written has one.
result<void> read_log(std::string_view text, std::string_view name, recording& recording);

// Whether a text looks like such a log: its first line is a JSON object with "desired_replicas" or "write".
bool looks_like_log(std::string_view text);

}  // namespace gputide::replay
