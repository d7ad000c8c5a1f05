// A utilization that misses a load in bursts: DCGM_FI_DEV_GPU_UTIL is the driver's last sample of 1/6 to 1 s, taken at each scrape.
// Seen by what is stored beside it: DCGM_FI_PROF_GR_ENGINE_ACTIVE, which counts the whole time, or the power.  Pure.
#pragma once

#include "doctor/step.hpp"
#include "source/source.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// The series of the same GPUs over the same minutes that tell whether a number misses bursts; names as a pattern.
inline constexpr const char* signals_beside_utilization =
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Step `value` with a warning, where the series contradict the metric.  `value` is the trigger's number in words.
std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value);

}  // namespace gputide::doctor
