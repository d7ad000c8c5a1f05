// isActive and isError of one poll.  Source: kedacore/keda pkg/scaling/scale_handler.go (getScaledObjectState).
#include "decide/keda/activity.hpp"

namespace gputide::decide {

activity activity_of(const policy& policy, std::span<const passed_metric> metrics, const composite& combined) {
    activity out;
    bool only_resources = !metrics.empty();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (!policy.metrics[i].decides_activity) continue;
        only_resources = false;
        out.active = out.active || (metrics[i].active && !metrics[i].error);
        out.error = out.error || metrics[i].error;
    }
    if (policy.formula) {
        out.error = out.error || combined.error;
        out.active = !out.error && combined.has_value && combined.active;
    }
    // The HPA alone scales by cpu and memory; nothing of theirs may bring the object to 0.
    if (only_resources && !out.error) out.active = true;
    return out;
}

}  // namespace gputide::decide
