// Step `series`: how many series the query gives, which labels they have and, where there are none, what is missing.  Pure.
#pragma once

#include "base/sample.hpp"
#include "config/scaling.hpp"
#include "doctor/selection.hpp"
#include "doctor/step.hpp"
#include "source/source.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// A utilization that misses a load in bursts: DCGM_FI_DEV_GPU_UTIL is the driver's last sample of 1/6 to 1 s, taken at each scrape.
// Seen by what is stored beside it: DCGM_FI_PROF_GR_ENGINE_ACTIVE, which counts the whole time, or the power.  Pure.

// The series of the same GPUs over the same minutes that tell whether a number misses bursts; names as a pattern.
inline constexpr const char* signals_beside_utilization =
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Step `value` with a warning, where the series contradict the metric.  `value` is the trigger's number in words.
std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value);

struct series {
    source::inquiry inquiry = source::inquiry::opaque;
    std::string query;                   // its query or metric
    std::vector<source::labels> answer;  // of the query itself
    gputide::sample sample;              // what the trigger makes of it
    std::string said;                    // the source's own words where there is no value
    config::target_type type = config::target_type::average_value;
    std::vector<selection> selections;  // of the query; empty: the source has none that could be looked behind
};

step judge_series(const series& seen);

}  // namespace gputide::doctor
