// Steps `decision` and `limits`: what would be written now, and what holds it back.  Of the whole scaler, also where a
// trigger failed: the person who looks wants to know what happens meanwhile.  Pure.
#pragma once

#include "decide/decision.hpp"
#include "decide/policy.hpp"
#include "doctor/step.hpp"

#include <string>

namespace gputide::doctor {

struct outcome {
    const decide::policy& policy;
    decide::decision decision;
    std::string read_error;      // of the metric that failed
    bool size_assumed = false;   // nobody said how many replicas there are
    bool is_none_ready = false;  // there are replicas, and none of them is ready
};

step judge_decision(const outcome& seen);
step judge_limits(const outcome& seen);

}  // namespace gputide::doctor
