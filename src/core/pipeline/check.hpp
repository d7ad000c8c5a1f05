// Reports what a manifest would do without doing it: parses it, applies the rules of each trigger, and warns of dangerous but
// valid settings.  No network.
#pragma once

#include "manifest/load.hpp"
#include "manifest/spec.hpp"
#include "pipeline/host.hpp"
#include "pipeline/pipeline.hpp"
#include "text/report.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::pipeline {

struct checked {
    text::report report;
    std::vector<manifest::spec> specs;               // specs without an error
    std::vector<manifest::written_scaled_job> jobs;  // ScaledJobs without an error
};

checked check_manifest(const std::vector<manifest::text_file>& files, const host_options& host);

// Returns {"scalers":[{"name","namespace","kind","file"}],"jobs":[{"name","namespace","file","line"}],
// "report":{"errors":0,"warnings":1,"findings":[...]}}.
std::string checked_json(const checked& checked);

// Findings about a metric's value and its target: an average that is divided again, a total that is multiplied, a target in
// percent for a fraction, and a workload that may go to zero although only its own pods report the metric.  Each finding is
// derived from this manifest.  Pure.

inline constexpr std::string_view average_divided = "average-divided";

struct metric_finding {
    std::size_t metric = 0;   // index in the manifest
    std::string_view code;    // average-divided, total-multiplied, target-beyond-range, ...
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
