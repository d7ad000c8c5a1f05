// One pass of the HPA half: the data that its steps read and write.
#pragma once

#include "decide/decision.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <span>

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

// Combines the proposals, and computes the size from the recommendation.  An invalid combination keeps the size.
void recommend(const pass& pass, std::span<const proposal> proposals);

// The forecast's part of a pass of the HPA half: reads the load, raises the reactive size (the size without the forecast) to
// the floor, runs the shadow and charges the budget with the difference of both sizes.  The shadow is the same half with its
// own state and without the floor.

// Reads the load of this pass, which closes the earlier slots.  A metric that failed, fell back or is held gives no reading.
void read_load(const pass& pass, std::span<const proposal> proposals);

// Returns the reactive size, or the forecast's floor if that is higher.
std::int32_t raise_to_floor(const pass& pass, std::int32_t reactive);

// Runs the shadow on the same proposals.  Without proposals (the size was forced into its bounds, or is 0) only the bounds
// apply.
void run_shadow(const pass& pass, std::span<const proposal> proposals);

// Charges the budget with the decision's size and the shadow's.
void book_sizes(const pass& pass);

// Makes the shadow start again from the current size, because the executor half wrote a size or the object was paused.
void forget_shadow(state& state) noexcept;

// Copies the forecast's state and the need of the last pass into the decision, if the policy has a forecast.
void show_forecast(const state& state, decision& decision) noexcept;

// Creates or removes the state's forecast as the policy requires; drops a forecast of another metric, slot or lead.
void prepare_forecast(const policy& policy, state& state);

// Returns the total load to serve, from a pass's readings; the forecast learns it:
//   External and Object, AverageValue: the metric;  Value: the metric · ready pods
//   Pods, AverageValue: the sum over the pods that count;  Utilization: the percentage · ready pods
// Example: 84 % of 10 ready pods → 840, at target 60 → 14 replicas.
// Returns no_number if the metric failed, fell back, is held by a no-data rule or is below 0.  `proposals` may be empty.
double load_of(const policy& policy, const observation& observation, const readings& readings,
               std::span<const proposal> proposals) noexcept;

}  // namespace gputide::decide
