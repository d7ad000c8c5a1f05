// Reports what a manifest would do without doing it: parses it, applies the rules of each trigger, and warns of dangerous but
// valid settings.  No network.
#pragma once

#include "manifest/load.hpp"
#include "pipeline/host.hpp"
#include "text/report.hpp"

#include <string>
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

}  // namespace gputide::pipeline
