// What a manifest would do, without doing it: the reading, the triggers' own rules, and warnings about what is dangerous
// though documented.  No network.
#pragma once

#include "config/load.hpp"
#include "config/report.hpp"
#include "pipeline/host.hpp"

#include <string>
#include <vector>

namespace gputide::pipeline {

struct checked {
    config::report report;
    std::vector<config::spec> specs;  // those that were read without an error
};

checked check_manifest(const std::vector<config::text_file>& files, const host_options& host);

// {"scalers":[{"name","namespace","kind","file"}],"report":{"errors":0,"warnings":1,"findings":[...]}}
std::string checked_json(const checked& checked);

}  // namespace gputide::pipeline
