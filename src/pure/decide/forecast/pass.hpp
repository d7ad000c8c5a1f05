// The forecast's part of a pass of the HPA half: it reads its load, raises the reactive size to its floor, runs the shadow (the same half
// with a state of its own and without the floor) and books the difference of both sizes.
#pragma once

#include "decide/hpa/pass.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

// Reads the load of this pass, which ends the slots before it.  There is no reading if the metric failed, fell back or is held.
void read_load(const pass& pass, std::span<const proposal> proposals);

// Returns the reactive size, or the floor if that is higher.
std::int32_t raise_to_floor(const pass& pass, std::int32_t reactive);

// Runs the shadow on the same proposals; without any (the size was forced into its bounds, or is 0) only the bounds apply.
void run_shadow(const pass& pass, std::span<const proposal> proposals);

// Books the decision's size and the shadow's.
void book_sizes(const pass& pass);

// Lets the shadow start again from the current size: the executor half wrote one, or the object was paused.
void forget_shadow(state& state) noexcept;

// Copies the forecast's state and the need of the last pass into the decision, if the policy forecasts.
void show_forecast(const state& state, decision& decision) noexcept;

// Creates or removes the state's forecast as the policy asks; drops what was learned of another metric, slot or lead.
void prepare_forecast(const policy& policy, state& state);

// Returns the total load to serve, which a forecast learns, from a pass's readings:
//   External and Object, AverageValue: the metric;  Value: the metric · ready pods
//   Pods, AverageValue: the sum over the pods that count;  Utilization: the percentage · ready pods
// Worked: 84 % of 10 ready pods → 840, at target 60 → 14 replicas.
// no_number if the metric failed, fell back, is held by a no-data rule or is below 0.  `proposals`: of this pass; may be empty.
double load_of(const policy& policy, const observation& observation, const readings& readings,
               std::span<const proposal> proposals) noexcept;

}  // namespace gputide::decide
