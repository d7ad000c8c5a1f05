// Steps `decision`, `limits`, `formula`, `load` and `manifest` of the whole scaler: what would be written now, its limits, the
// result of scalingModifiers, the effect of another load, and the warnings of `gputided check`.  Pure.
#pragma once

#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/trace/trace.hpp"
#include "doctor/step.hpp"
#include "text/report.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gputide::doctor {

struct outcome {
    const decide::policy& policy;
    decide::decision decision;
    std::string read_error;      // of the failed metric
    bool size_assumed = false;   // the number of replicas is unknown
    bool is_none_ready = false;  // there are replicas, but none is ready
};

// Tells the formula's result, its activation and its target.  The policy has a formula, and the decision computed it.
step judge_formula(const decide::policy& policy, const decide::trace& trace);

step judge_decision(const outcome& seen);
step judge_limits(const outcome& seen);

// Tells how a metric of the policy follows the load.
struct load_metric {
    bool follows_load = true;  // false for a schedule
    double max = std::numeric_limits<double>::infinity();
};

struct outlook {
    const decide::policy& policy;
    const decide::observation& seen;   // with a sample for each metric
    std::vector<load_metric> metrics;  // one per metric of the policy
};

// Returns "at twice the load: 6 -> 12 replicas; at no load: 6 -> 1": the replicas that the metrics propose within the bounds,
// without delays.  Returns nullopt if a metric has no value, or a value for each pod.
std::optional<step> judge_load(const outlook& seen);

// Returns the warnings of `gputided check` that affect the decision, or nullopt.
std::optional<step> judge_manifest(const text::report& findings);

}  // namespace gputide::doctor
