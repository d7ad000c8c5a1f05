// Which tolerance band holds; see tolerance.hpp.
#include "decide/hpa/tolerance.hpp"

namespace gputide::decide {

namespace {

double target_of(const metric_policy& metric) noexcept {
    if (metric.type == config::target_type::utilization) return metric.utilization_pct;
    return static_cast<double>(metric.target_milli) / 1000.0;
}

}  // namespace

tolerance tolerance_of(const policy& policy) noexcept {
    if (!policy.scaling.behavior)
        return tolerance_band(policy.scaling.controller.tolerance, policy.scaling.controller.tolerance);
    return tolerance_band(policy.scaling.behavior->up.tolerance, policy.scaling.behavior->down.tolerance);
}

tolerance tolerance_of(const metric_policy& metric, const tolerance& general) noexcept {
    tolerance out = general;
    if (metric.rules.scale_up_above) out.high = *metric.rules.scale_up_above / target_of(metric);
    if (metric.rules.scale_down_below) out.low = *metric.rules.scale_down_below / target_of(metric);
    return out;
}

}  // namespace gputide::decide
