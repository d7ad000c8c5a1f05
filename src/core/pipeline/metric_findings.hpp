// Findings about a metric's number and its target: an average that is divided once more, a total that is multiplied, a percentage
// against a fraction, a metric of pods that are not there.  Each finding has a reason that holds for this manifest.  Pure.
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
    std::size_t metric = 0;   // of the manifest
    std::string code;         // average-divided, total-multiplied, target-beyond-range, ...
    std::string message;      // what is written, with the metric's label
    std::string consequence;  // what happens
    std::string remedy;
};

// Reports whether a ScaledObject without load ends at 0 replicas.
bool goes_to_zero(const manifest::scaling& scaling);

std::vector<metric_finding> judge_metrics(const manifest::spec& spec, const described& described);

// The same as warnings, each at its query.
void add_metric_findings(const manifest::spec& spec, const described& described, text::report& report);

}  // namespace gputide::pipeline
