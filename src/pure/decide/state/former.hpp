// What another process knew of the same scaler, as the ScaledObject's status keeps it: a new leader and a restart go on from there.
#pragma once

#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::decide {

struct former_health {
    std::string metric;  // "s0-prometheus"
    std::int32_t failures = 0;
    bool failing = false;
};

struct former_state {
    std::int64_t last_active_ms = absent;
    std::vector<former_health> health;
};

// The later time of being active holds, so that a cooldown goes on; one ahead of now, by another clock, counts as now.  Failures are
// taken over where none were counted here.
void take_over(const policy& policy, state& state, const former_state& former_state, std::int64_t now_ms);

}  // namespace gputide::decide
