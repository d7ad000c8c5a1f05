// The forecast's part of a pass of the HPA half: its load is read, its floor lies under the reactive size, the shadow (the same half
// with a state of its own and without the floor) says what the size would be, and the difference is booked.
#pragma once

#include "decide/hpa/pass.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

// What this pass read of the load: ends the slots before it.  No reading where the metric failed, fell back or is held.
void read_load(const pass& pass, std::span<const proposal> proposals);

// The reactive size or the floor above it.
std::int32_t raise_to_floor(const pass& pass, std::int32_t reactive);

// What the shadow makes of the same proposals; of none (the real size was forced into its bounds, or is 0) only the bounds hold.
void run_shadow(const pass& pass, std::span<const proposal> proposals);

// After the decision: what was written, and the shadow's size.
void book_sizes(const pass& pass);

// The executor half wrote this size, or pausing made the HPA half forget: the shadow starts from what is.
void forget_shadow(state& state) noexcept;

// Where the policy forecasts: the state word and the need of the last pass.
void show_forecast(const state& state, decision& decision) noexcept;

// Room in the state where the policy forecasts, none where it does not; what was learned of another metric, slot or lead goes.
void prepare_forecast(const policy& policy, state& state);

// What must be served in total, from what a pass read: the unit that a forecast counts in.

//   External and Object, AverageValue: the metric;  Value: the metric · ready pods
//   Pods, AverageValue: the sum over the pods that count;  Utilization: the percentage · ready pods
// Worked: 84 % of 10 ready pods → 840, at target 60 → 14 replicas.
// no_number where the metric failed, fell back, is held by a no-data rule or is below 0.  `proposals`: this pass' own, empty where
// it made none.
double load_of(const policy& policy, const observation& observation, const readings& readings,
               std::span<const proposal> proposals) noexcept;

}  // namespace gputide::decide
