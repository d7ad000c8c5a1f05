// Numbers as the exposition formats write them.  Pure; no locale, no C library.
//   taken    decimal with optional sign, fraction, exponent: 1 -2.5e3 .5 5. +7 00012; NaN; [+-]Inf, [+-]Infinity in any
//            letter case; what is too small is 0
//   refused  hex, digit separators, a signed NaN, and what is too large: 1e400 is an error and no infinity
#pragma once

#include <optional>
#include <string_view>

namespace gputide::formats::exposition {

std::optional<double> parse_value(std::string_view text);

// The number that starts at `at` and ends before a blank, a tab, LF or `end`.  Returns where it ends; null: no number.
const char* scan_value(const char* at, const char* end, double& value);

}  // namespace gputide::formats::exposition
