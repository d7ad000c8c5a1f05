// Whole groups; see group.hpp.
#include "decide/rules/group.hpp"

#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

std::int32_t whole_groups_up(const config::extra_rules& rules, std::int32_t replicas) noexcept {
    const std::int64_t group = rules.group_size;
    if (group <= 1 || replicas <= 0) return replicas;
    return to_int32((replicas + group - 1) / group * group);
}

std::int32_t move_by_groups(const config::extra_rules& rules, std::int32_t current, std::int32_t allowed,
                            const replica_bounds& within) noexcept {
    if (rules.group_size <= 1 || allowed == current) return allowed;
    if (allowed > current) {
        const std::int32_t cut = allowed - allowed % rules.group_size;
        return std::max({cut, current, std::min(within.min, allowed)});
    }
    return std::min({whole_groups_up(rules, allowed), current, std::max(within.max, allowed)});
}

}  // namespace gputide::decide
