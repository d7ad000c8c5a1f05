#include "nodes/pod.hpp"

#include "base/saturate.hpp"

namespace gputide::nodes {

std::string full_name(const pod& pod) { return pod.name_space.empty() ? pod.name : pod.name_space + "/" + pod.name; }

// kubernetes/autoscaler simulator/drainability: deletion + grace + 30 s < now.
// Worked: deleted at 0 with the default grace, it still counts at 60 s, and no longer a moment later.
bool is_long_terminating(const pod& pod, std::int64_t now_ms) {
    if (!pod.deleted_ms) return false;
    return add_saturating(add_saturating(*pod.deleted_ms, pod.grace_ms), long_terminating_ms) < now_ms;
}

}  // namespace gputide::nodes
