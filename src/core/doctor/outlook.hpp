// Steps `load` and `manifest`: what happens when the load changes, and what check says of the manifest.  Of the whole scaler.  Pure.
#pragma once

#include "config/report.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "doctor/step.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

// Steps `decision` and `limits`: what would be written now, and what holds it back.  Of the whole scaler, also where a
// trigger failed: the person who looks wants to know what happens meanwhile.  Pure.

struct outcome {
    const decide::policy& policy;
    decide::decision decision;
    std::string read_error;      // of the metric that failed
    bool size_assumed = false;   // nobody said how many replicas there are
    bool is_none_ready = false;  // there are replicas, and none of them is ready
};

step judge_decision(const outcome& seen);
step judge_limits(const outcome& seen);

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
