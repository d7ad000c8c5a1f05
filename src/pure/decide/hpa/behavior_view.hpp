// The behaviour that rules a policy's HPA half, as one view: the spec's own, or none (the legacy path).  The rate formulas take
// it, so that they need no policy.  Borrows; nothing is copied.
#pragma once

#include "decide/policy.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

// One direction.
struct rules_view {
    std::int32_t window_s = 0;
    config::select_policy select = config::select_policy::max;
    std::span<const config::scaling_policy> policies;
};

struct behavior_view {
    bool present = false;  // false: normalise the legacy way; up and down then say nothing
    rules_view up;
    rules_view down;
};

rules_view view_of(const config::scaling_rules& rules) noexcept;

// spec.behavior; KEDA's pause annotations are in it already (make_policy).
behavior_view behavior_of(const policy& policy) noexcept;

// The greatest period of that direction's policies, in seconds; 0: no policy.
std::int32_t longest_period_s(const rules_view& rules) noexcept;

}  // namespace gputide::decide
