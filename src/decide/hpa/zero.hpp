// A target at zero replicas, as the HPA itself sees it.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler); gate HPAScaleToZero, KEP 2021, and
// since 1.36 the condition ScaledToZero (PR 135118).
#pragma once

#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::decide {

enum class zero_mode : std::int32_t {
    by_minimum = 0,    // up to 1.35: min 0 alone allows leaving zero
    by_condition = 1,  // from 1.36: only a zero that the HPA made itself is left
};

// "1.35" → by_minimum; "" and everything from 1.36 on → by_condition.
zero_mode zero_mode_of(std::string_view hpa_version) noexcept;

// At 0 replicas: whether the metrics are computed.  False: scaling is disabled, the size stays at 0.
//   by_minimum:   min is 0
//   by_condition: ScaledToZero is True and (min is not 0, or an Object or External metric exists)
// A person who writes 0 thus pauses the HPA.
bool leaves_zero(const policy& policy, const state& state, std::int32_t min) noexcept;

// After normalisation, by_condition, at 0 replicas with min above 0: a zero of its own goes up to min at least.
std::int32_t raised_from_zero(const policy& policy, const state& state, std::int32_t desired,
                              std::int32_t min) noexcept;

// After a write from `before` to `after`: ScaledToZero and its condition, True or False; without the gate and up to 1.35 none.
void note_zero(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int32_t min,
               std::int64_t now_ms) noexcept;

}  // namespace gputide::decide
