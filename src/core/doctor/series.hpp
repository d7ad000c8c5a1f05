// Step `series`: count and labels of the series that the query returns, or what is missing.  Pure.
#pragma once

#include "base/sample.hpp"
#include "doctor/selection.hpp"
#include "doctor/step.hpp"
#include "manifest/scaling.hpp"
#include "source/source.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// DCGM_FI_DEV_GPU_UTIL misses a load in bursts: it is the driver's last sample of 1/6 to 1 s, taken at each scrape.  These
// metrics of the same GPUs show it: they count the whole time, or are the power.  A pattern.
inline constexpr const char* signals_beside_utilization =
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Returns step `value` with a warning if the series contradict the metric.  `value` is the trigger's number as text.
std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value);

struct series {
    source::inquiry inquiry = source::inquiry::opaque;
    std::string query;                   // its query or metric
    std::vector<source::labels> answer;  // of the query itself
    gputide::sample sample;              // what the trigger makes of it
    std::string said;                    // the source's own words where there is no value
    manifest::target_type type = manifest::target_type::average_value;
    std::vector<selection> selections;  // of the query; empty: the source has none that could be looked behind
};

step judge_series(const series& seen);

}  // namespace gputide::doctor
