// Which tolerance band holds; see tolerance.hpp.
#include "decide/hpa/tolerance.hpp"

namespace gputide::decide {

tolerance tolerance_of(const policy& policy) noexcept {
    if (!policy.scaling.behavior)
        return tolerance_band(policy.scaling.controller.tolerance, policy.scaling.controller.tolerance);
    return tolerance_band(policy.scaling.behavior->up.tolerance, policy.scaling.behavior->down.tolerance);
}

tolerance tolerance_of(const metric_policy& metric, const tolerance& general) noexcept {
    return tolerance_of(metric, metric.target(), general);
}

tolerance tolerance_of(const metric_policy& metric, double target, const tolerance& general) noexcept {
    tolerance out = general;
    if (metric.rules.scale_up_above) out.high = *metric.rules.scale_up_above / target;
    if (metric.rules.scale_down_below) out.low = *metric.rules.scale_down_below / target;
    return out;
}

}  // namespace gputide::decide
