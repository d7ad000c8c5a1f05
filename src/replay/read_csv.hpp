// Series as CSV: the first column is the time, then one column a metric, and a column `replicas` for the recorded size.
// Text in, points out; strict, with line numbers.  Reads no file.
#pragma once

#include "replay/recording.hpp"

#include <string_view>

namespace gputide::replay {

//     time,s0-prometheus,replicas
//     2026-11-21T10:00:00Z,42.5,3
// Separator: comma, semicolon or tab, whichever the first line has.  Times: RFC 3339, also with a blank for the T and then
// UTC where no zone is written; Unix seconds (with fraction); Unix milliseconds from 1e11 up.  Values: decimal numbers, NaN,
// Inf; null: the metric was asked for and had no value; an empty cell: nothing is known of this time.  Cells may stand in double quotes.  The heading may be missing; lines that begin with # and
// blank lines do not count.
// Adds to `recording`; on an error it is half-filled and must be thrown away.
result<void> read_csv(std::string_view text, recording& recording);

// The same text back; reading it gives the same recording.
std::string write_csv(const recording& recording);

}  // namespace gputide::replay
