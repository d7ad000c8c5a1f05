// One pass of the HPA half: the data that its steps read and write.
#pragma once

#include "decide/decision.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

struct trace;

struct pass {
    const decide::policy& policy;
    decide::state& state;
    const decide::observation& observation;
    decide::readings& readings;
    decide::decision& decision;
    decide::trace* trace;  // may be null
    std::int32_t current;
    replica_bounds within;
    load_forecast* forecast;  // null: the policy has no forecast, or this pass is the shadow's
};

inline void set(const pass& pass, condition_type type, truth is, reason why) noexcept {
    set_condition(pass.state.conditions, type, is, why, pass.observation.now_ms);
}

inline void finish(const pass& pass, std::int32_t desired, limit limited_by) noexcept {
    pass.decision.desired_replicas = desired;
    pass.decision.limited_by = limited_by;
}

// Returns the code of the limit at the maximum: the policy's max or its budget.
limit over_max(const pass& pass) noexcept;

// Stores the first observed size as a recommendation of now, so that a scale-down waits for the whole window.
void note_first_sight(const pass& pass);

// Computes the size from the raw recommendation of the metrics: applies confirmation, whole groups, stabilization, the
// forecast's floor, rate limit and bounds.
void normalize(const pass& pass, std::int32_t raw, const proposal& winner);

}  // namespace gputide::decide
