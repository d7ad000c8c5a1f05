// What gputided says of itself as a Prometheus text page: counters and gauges.
#pragma once

#include "board.hpp"

#include <string>

namespace gputided {

// runtime: as gputide_runtime_stats tells.
std::string metrics_page(const numbers& from, const std::string& runtime, const children_numbers& children);

}  // namespace gputided
