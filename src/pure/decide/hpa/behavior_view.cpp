// Which behaviour holds; see behavior_view.hpp.
#include "decide/hpa/behavior_view.hpp"

#include <algorithm>

namespace gputide::decide {

rules_view view_of(const config::scaling_rules& rules) noexcept {
    return {rules.window_s, rules.select, rules.policies};
}

behavior_view behavior_of(const policy& policy) noexcept {
    if (!policy.scaling.behavior) return {};
    return {true, view_of(policy.scaling.behavior->up), view_of(policy.scaling.behavior->down)};
}

std::int32_t longest_period_s(const rules_view& rules) noexcept {
    std::int32_t longest = 0;
    for (const config::scaling_policy& one : rules.policies) longest = std::max(longest, one.period_s);
    return longest;
}

}  // namespace gputide::decide
