// Why a selector selects nothing, and what would make it select something.  Pure; the words of step `series`.
#pragma once

#include "doctor/selection.hpp"
#include "doctor/step.hpp"

#include <string>

namespace gputide::doctor {

// `selection` finds nothing.  `type` is the trigger's: what can be done differs between a Prometheus and an exporter's page.
step why_missing(const selection& selection, source::inquiry inquiry);

// Lines for a scrape configuration that make a label out of one that the series have; "" where none would do.
std::string relabelling(const std::string& label, const std::string& wanted, const std::vector<source::labels>& series);

// The line of dcgm-exporter's counters file that makes it serve a field; "" for a metric that is none of DCGM's.
std::string counters_line(const std::string& metric);

}  // namespace gputide::doctor
