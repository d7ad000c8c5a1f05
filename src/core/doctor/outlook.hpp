// Steps `load` and `manifest`: what happens when the load changes, and what check says of the manifest.  Of the whole scaler.  Pure.
#pragma once

#include "config/report.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "doctor/step.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace gputide::doctor {

// One metric of the policy, as far as its number follows the load.
struct load_metric {
    bool follows_load = true;  // a schedule does not
    double max = std::numeric_limits<double>::infinity();
};

struct outlook {
    const decide::policy& policy;
    const decide::observation& seen;   // with a sample for each metric
    std::vector<load_metric> metrics;  // one per metric of the policy
};

// "at twice the load: 6 -> 12 replicas; at no load: 6 -> 1".  The sizes are those that the metrics ask for within the bounds,
// without what delays them.  Nothing where a metric has no value, or a value for each pod.
std::optional<step> judge_load(const outlook& seen);

// The warnings of check that change what is decided; nothing where there is none.
std::optional<step> judge_manifest(const config::report& findings);

}  // namespace gputide::doctor
