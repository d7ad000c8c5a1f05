// Parses numbers of the exposition formats.  Pure; no locale, no C library.
//   accepted  decimal with optional sign, fraction, exponent: 1 -2.5e3 .5 5. +7 00012; NaN; [+-]Inf, [+-]Infinity in
// any
//             letter case; an underflow is 0
//   rejected  hex, digit separators, a signed NaN, and an overflow: 1e400 is an error and not an infinity
#pragma once

#include <optional>
#include <string_view>

namespace gputide::formats::exposition {

std::optional<double> parse_value(std::string_view text);

// Parses the number that starts at `at` and ends before a blank, a tab, LF or `end`.  Returns its end; null: invalid.
const char* scan_value(const char* at, const char* end, double& value);

}  // namespace gputide::formats::exposition
