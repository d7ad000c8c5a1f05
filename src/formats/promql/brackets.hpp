// Whether the brackets and the strings of a PromQL expression close, which every server would refuse otherwise.  Pure.
#pragma once

#include <string>
#include <string_view>

namespace gputide::formats::promql {

// What is wrong, for a sentence; "" where nothing is.  Brackets in strings and in comments do not count.
// `sum(rate(x[5m])` → "( at character 4 is not closed"; `a]` → "] at character 2 closes nothing".
std::string unbalanced_part(std::string_view query);

}  // namespace gputide::formats::promql
