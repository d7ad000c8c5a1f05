// A target at zero replicas, as the HPA itself sees it.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler); gate HPAScaleToZero, KEP 2021, and
// since 1.36 the condition ScaledToZero (PR 135118).
#pragma once

#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

// Returns whether the metrics are computed at 0 replicas.  False: scaling is disabled, the size stays at 0.
//   up to 1.35:   min is 0
//   from 1.36 on: the gate is on, ScaledToZero is True and (min is not 0, or an Object or External metric exists)
// A person who writes 0 thus pauses the HPA.
bool leaves_zero(const policy& policy, const state& state, std::int32_t min) noexcept;

// Raises `desired` to min at least where the HPA made the zero itself and min is above 0 now (from 1.36 on).
std::int32_t raised_from_zero(const policy& policy, const state& state, std::int32_t desired,
                              std::int32_t min) noexcept;

// Sets ScaledToZero and its condition after a write from `before` to `after`; removes both without the gate and up to 1.35.
void note_zero(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int32_t min,
               std::int64_t now_ms) noexcept;

// Removes ScaledToZero and its condition where scaling is disabled at 0 replicas and the gate is off.
void note_disabled_at_zero(const policy& policy, state& state) noexcept;

}  // namespace gputide::decide
