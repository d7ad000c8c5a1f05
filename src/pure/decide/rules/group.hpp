// Beyond the originals (gputide.io/group-size): replicas move by whole groups, as multi-node inference needs them.
#pragma once

#include "decide/hpa/bounds.hpp"
#include "decide/policy.hpp"

#include <cstdint>

namespace gputide::decide {

// A recommendation as whole groups: rounded up.  Groups of 4: 9 → 12, 8 → 8.  Size 0 or 1: as it is.
std::int32_t whole_groups_up(const config::extra_rules& rules, std::int32_t replicas) noexcept;

// After rate limit and bounds, which know nothing of groups: a rise is cut to whole groups, a fall keeps the group it would
// break; neither passes current the other way, and the bounds win over the group.
// Worked, groups of 4: 8 → 11 allowed by the rate: 8; 8 → 13: 12; 12 → 9: 12; 12 → 8: 8.
std::int32_t move_by_groups(const config::extra_rules& rules, std::int32_t current, std::int32_t allowed,
                            const replica_bounds& within) noexcept;

}  // namespace gputide::decide
