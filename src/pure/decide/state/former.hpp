// The state that a new leader or a restarted process inherits: what another process knew of the same scaler and kept in the
// ScaledObject's status.
#pragma once

#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::decide {

struct inherited_health {
    std::string metric;  // "s0-prometheus"
    std::int32_t failures = 0;
    bool failing = false;
};

struct inherited_state {
    std::int64_t last_active_ms = absent;
    std::vector<inherited_health> health;
};

// Continues from an inherited state.  The later of both last active times holds, so that a cooldown continues; a time ahead of now,
// by another clock, counts as now.  Failures are inherited only before the first poll.
void inherit(const policy& policy, state& state, const inherited_state& inherited_state, std::int64_t now_ms);

}  // namespace gputide::decide
