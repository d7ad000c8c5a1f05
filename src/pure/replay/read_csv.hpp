// Series as CSV: the first column is the time, then one column per metric, and a column `replicas` for the recorded
// size.
// Text in, points out; strict, with line numbers.  Reads no file.
#pragma once

#include "replay/recording.hpp"

#include <string_view>

namespace gputide::replay {

//     time,s0-prometheus,replicas
//     2026-11-21T10:00:00Z,42.5,3
// Separator: comma, semicolon or tab, as in the first line.  Times: RFC 3339, also with a blank instead of T and then
// UTC if there is no zone; Unix seconds (with fraction); Unix milliseconds from 1e11 up.  Values: decimal numbers, NaN,
// Inf; null: the query returned no value; an empty cell: unknown at this time.  Cells may be in double quotes.  The
// heading is optional; lines that begin with # and blank lines are ignored.
// Adds to `recording`; after an error it is incomplete and must be discarded.
result<void> read_csv(std::string_view text, recording& recording);

// Writes a recording as CSV; reading it gives the same recording.
std::string write_csv(const recording& recording);

}  // namespace gputide::replay
