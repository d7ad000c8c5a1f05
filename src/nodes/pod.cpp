#include "nodes/pod.hpp"

#include "base/saturate.hpp"

namespace gputide::nodes {

std::string full_name(const pod& one) { return one.name_space.empty() ? one.name : one.name_space + "/" + one.name; }

// kubernetes/autoscaler simulator/drainability: deletion + grace + 30 s < now.
// Worked: deleted at 0 with the default grace, it still counts at 60 s, and no longer a moment later.
bool is_long_terminating(const pod& one, std::int64_t now_ms) {
    if (!one.deleted_ms) return false;
    return add_saturating(add_saturating(*one.deleted_ms, one.grace_ms), long_terminating_ms) < now_ms;
}

}  // namespace gputide::nodes
