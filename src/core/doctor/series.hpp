// Step `series`: number and labels of the series that the query returns, or what is missing.  Pure.
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

// Metrics of the same GPUs that show a load in bursts, as a pattern: they cover the whole time, or are the power.
// DCGM_FI_DEV_GPU_UTIL misses it: it is the driver's last sample of 1/6 to 1 s, taken at each scrape.
inline constexpr const char* signals_beside_utilization =
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Returns step `value` with a warning if these series contradict the metric.  `value` is the trigger's value as text.
std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value);

struct series {
    source::inquiry inquiry = source::inquiry::opaque;
    std::string query;                   // the trigger's query or metric
    std::vector<source::labels> answer;  // series that the query returned
    bool is_range = false;               // each series has several points, as of a range selector
    gputide::sample sample;              // the trigger's result
    std::string said;                    // the source's message, if there is no value
    manifest::target_type type = manifest::target_type::average_value;
    std::vector<selection> selections;  // of the query; empty: the source has no series to examine
};

step judge_series(const series& seen);

// Explains why a selector matches no series, and what to change: cause and fix of step `series`.  Pure.

// Explains a selection without series.  The fix differs between a Prometheus and an exporter's page.
step why_missing(const selection& selection, source::inquiry inquiry);

// Returns a scrape configuration that creates the wanted label from a label that the series have, or "".
std::string relabelling(const std::string& label, const std::string& wanted, const std::vector<source::labels>& series);

// Returns the line of dcgm-exporter's counters file that enables a field, or "" for a metric that is not DCGM's.
std::string counters_line(const std::string& metric);

}  // namespace gputide::doctor
