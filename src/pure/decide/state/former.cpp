#include "decide/state/former.hpp"

#include <algorithm>

namespace gputide::decide {

void inherit(const policy& policy, state& state, const inherited_state& inherited_state, std::int64_t now_ms) {
    state.last_active_ms = std::max(state.last_active_ms, std::min(inherited_state.last_active_ms, now_ms));
    if (state.last_executor_ms != absent) return;
    state.health.resize(policy.metrics.size());
    for (std::size_t i = 0; i < state.health.size(); ++i) {
        for (const inherited_health& one : inherited_state.health) {
            if (one.metric != policy.metrics[i].name) continue;
            state.health[i].failures = one.failures;
            state.health[i].failing = one.failing;
        }
    }
}

}  // namespace gputide::decide
