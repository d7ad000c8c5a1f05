// Beyond the originals (gputide.io/confirm: k of n): a direction must repeat before it counts.
#pragma once

#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

struct confirmation {
    std::int32_t replicas = 0;  // raw where it is confirmed, else the current size
    std::int32_t agreeing = 0;  // of the last n passes, this one included
    bool held = false;
};

// k of the last n raw recommendations, this one included, must point the same way (up, down) before a move counts.  What is
// not confirmed does not enter the stabilisation history either, so that one wild sample cannot hold a scale-down.
// Worked: 2 of 3, current 4; raw 9 → held (1 of 3); raw 4 → 4; raw 8 → up again within three → 8.
inline bool needs_confirmation(const policy& policy) noexcept { return policy.scaling.extra.confirm_k > 1; }
confirmation confirm(const policy& policy, state& state, std::int32_t current, std::int32_t raw);

}  // namespace gputide::decide
