// What gputided says of itself as a Prometheus text page: counters and gauges.
#pragma once

#include "run/pages/board.hpp"

#include <string>

namespace gputided {

// runtime: as gputide_runtime_stats tells.
// dropped_lines: of stdout and the log.
std::string metrics_page(const numbers& all, const std::string& runtime, const children_numbers& children,
                         std::int64_t dropped_lines);

}  // namespace gputided
