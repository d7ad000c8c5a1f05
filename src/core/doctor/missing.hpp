// Explains why a selector matches no series, and what to change: cause and fix of step `series`.  Pure.
#pragma once

#include "doctor/selection.hpp"
#include "doctor/step.hpp"

#include <string>

namespace gputide::doctor {

// Explains a selection without series.  The fix differs between a Prometheus and an exporter's page.
step why_missing(const selection& selection, source::inquiry inquiry);

// Returns a scrape configuration that creates the wanted label from a label that the series have, or "".
std::string relabelling(const std::string& label, const std::string& wanted, const std::vector<source::labels>& series);

// Returns the line of dcgm-exporter's counters file that enables a field, or "" for a metric that is not DCGM's.
std::string counters_line(const std::string& metric);

}  // namespace gputide::doctor
