// The floor of a reactive size.  Only raises it, not from zero and not above max.
#pragma once

#include "forecast/forecast.hpp"

#include <cstdint>

namespace gputide::forecast {

enum class floor_reason : std::int32_t {
    none = 0,  // no floor was computed
    raised = 1,
    within_reactive = 2,
    capped_by_max = 3,
    capped_by_raise = 4,
    observe = 5,
    warming_up = 6,
    not_better = 7,
    budget_spent = 8,
    no_recent_value = 9,
    at_zero = 10,
};
std::string_view name(floor_reason reason) noexcept;  // "" for an unknown number

struct floor_input {
    double floor_load = no_number;
    gputide::forecast::state state = forecast::state::warming;
    double target = 1.0;  // load per replica, > 0
    std::int32_t reactive = 0;
    std::int32_t current = 0;
    std::int32_t max = 0;
};

struct floor_result {
    std::int32_t replicas = 0;  // at least reactive
    std::int32_t need = -1;     // replicas for the floor load; -1: no floor load
    floor_reason reason = floor_reason::none;

    bool raised(std::int32_t reactive) const noexcept { return replicas > reactive; }
};

// Computes need = ceil(floor load / target), limited to int32; want = min(need, ceil(reactive · (100 + max_raise) / 100),
// max).
// Example: 117.39 at target 10 → 12; reactive 10, cap 30, max 40 → 12, raised.
floor_result floor_of(const floor_input& input, const settings& settings) noexcept;

}  // namespace gputide::forecast
