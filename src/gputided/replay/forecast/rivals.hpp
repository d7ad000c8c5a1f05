// What a forecast is measured against: the same replay with it off, and plain headroom that costs as much.
#pragma once

#include "replay/input.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gputided {

bool forecasts(const nlohmann::json& report);

// The report of the input as it is; where it forecasts, with "compared": [{"name":...,"set":{...},"summary":{...},"chart":{...}}, ...]:
// the forecast off, on, and headroom, which is the forecast off and the first metric's target lowered until the replica-hours are
// as many.  Headroom is left out where nothing was raised and where the forecast is not of that target (a formula's, another
// metric's); where it does as much as the forecast, a warning says so.  One level of "above target" holds for all of them.
std::string with_rivals(const replay_input& input, std::string report);

// A line for each of "compared": minutes above target and replica-hours, against the first.
std::vector<std::string> compared_lines(const nlohmann::json& compared);

}  // namespace gputided
