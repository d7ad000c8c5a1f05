// k of n; see confirm.hpp.
#include "decide/rules/confirm.hpp"

#include <algorithm>

namespace gputide::decide {

confirmation confirm(const policy& policy, state& state, std::int32_t current, std::int32_t raw) {
    confirmation out;
    out.replicas = raw;
    const std::int32_t k = policy.scaling.extra.confirm_k;
    const auto n = static_cast<std::size_t>(std::max(policy.scaling.extra.confirm_n, k));
    if (!needs_confirmation(policy)) return out;

    const std::int32_t direction = (raw > current) - (raw < current);
    std::vector<std::int32_t>& last = state.confirmations;
    while (last.size() >= n) last.erase(last.begin());
    last.push_back(direction);
    out.agreeing = static_cast<std::int32_t>(std::count(last.begin(), last.end(), direction));
    out.held = direction != 0 && out.agreeing < k;
    if (out.held) out.replicas = current;
    return out;
}

}  // namespace gputide::decide
