// Numbers and curves for a terminal.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace gputided {

// 2.25 → "2.3": a half goes up, also one that a division missed by a hair.  report.html rounds alike, so that a figure reads
// the same in a sentence, a table and a tile; printf alone would make 2.2 of it.
std::string decimal(double value, int digits);

// "12,345", "1,234.5": thousands apart, at most `digits` decimals.
std::string figure(double value, int digits = 1);

// A curve in eighths of a line's height, `columns` wide; null leaves a blank.
std::string sparkline(const nlohmann::json& values, std::size_t columns);

}  // namespace gputided
