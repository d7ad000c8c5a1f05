// Findings about a metric's value and its target: an average that is divided again, a total that is multiplied, a target in
// percent for a fraction, and a workload that may go to zero although only its own pods report the metric.  Each finding is
// derived from this manifest.  Pure.
#pragma once

#include "manifest/spec.hpp"
#include "pipeline/pipeline.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gputide::pipeline {

inline constexpr const char* average_divided = "average-divided";

struct metric_finding {
    std::size_t metric = 0;   // index in the manifest
    std::string code;         // average-divided, total-multiplied, target-beyond-range, ...
    std::string message;      // what the manifest says, with the metric's label
    std::string consequence;  // the effect
    std::string remedy;
};

// Tells whether a ScaledObject without load ends at 0 replicas.
bool goes_to_zero(const manifest::scaling& scaling);

std::vector<metric_finding> find_metric_problems(const manifest::spec& spec, const described& described);

// Adds the findings of find_metric_problems() as warnings, each at the place of its metric.
void add_metric_findings(const manifest::spec& spec, const described& described, text::report& report);

}  // namespace gputide::pipeline
