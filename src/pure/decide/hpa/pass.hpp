// One pass of the HPA half on its way through its steps: what they read and what they leave.
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
    load_forecast* forecast;  // null: the policy has none, or this is the shadow's own pass
};

inline void set(const pass& pass, condition_type type, truth is, reason why) noexcept {
    set_condition(pass.state.conditions, type, is, why, pass.observation.now_ms);
}

inline void finish(const pass& pass, std::int32_t desired, limit limited_by) noexcept {
    pass.decision.desired_replicas = desired;
    pass.decision.limited_by = limited_by;
}

// What limits a size to the maximum: the policy's own, or what a budget pays for.
limit over_max(const pass& pass) noexcept;

// The first sight of a size counts as a recommendation of now, so that a fall waits the whole window.
void note_first_sight(const pass& pass);

// From the metrics' raw recommendation to the size: confirmed, in whole groups, stabilised, on the forecast's floor, within rate and
// bounds.
void normalise(const pass& pass, std::int32_t raw, const proposal& winner);

}  // namespace gputide::decide
