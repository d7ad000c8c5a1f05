// Tells why a selector selects nothing, and what to change: cause and fix of step `series`.  Pure.
#pragma once

#include "doctor/selection.hpp"
#include "doctor/step.hpp"

#include <string>

namespace gputide::doctor {

// Explains a selection without series.  The fix differs between a Prometheus and an exporter's page.
step why_missing(const selection& selection, source::inquiry inquiry);

// Returns lines for a scrape configuration that make the wanted label of one that the series have; "" if none fits.
std::string relabelling(const std::string& label, const std::string& wanted, const std::vector<source::labels>& series);

// Returns the line of dcgm-exporter's counters file that enables a field; "" for a metric that is not one of DCGM's.
std::string counters_line(const std::string& metric);

}  // namespace gputide::doctor
