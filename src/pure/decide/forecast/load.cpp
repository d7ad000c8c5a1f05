#include "decide/forecast/load.hpp"

#include "forecast/arithmetic.hpp"

namespace gputide::decide {

namespace {

using forecast::no_number;

double per_type(config::target_type type, double value, const observation& observation) noexcept {
    return type == config::target_type::average_value ? value : value * ready_replicas(observation);
}

double load_of_composite(const policy& policy, const observation& observation, const readings& readings) noexcept {
    const composite& all = readings.modifiers;
    if (!readings.filled || all.state != composite_state::formula || !all.has_value) return no_number;
    return per_type(policy.scaling.modifiers->metric_type, static_cast<double>(all.value_milli) / 1000, observation);
}

double load_of_external(const metric_policy& metric, const observation& observation, const readings& readings,
                        std::size_t at) noexcept {
    if (!readings.filled) return no_number;
    const reading& read = readings.read[at];
    const bool usable = read.ruled.action == no_data_action::none && read.ruled.value.state == sample_state::ok;
    if (!usable || readings.passed[at].fallback_active) return no_number;
    return per_type(metric.type, read.ruled.value.value, observation);
}

double load_of_pods(const metric_policy& metric, const observation& observation, const proposal& proposal) noexcept {
    if (proposal.failure != metric_failure::none) return no_number;
    if (metric.type == config::target_type::utilization)
        return proposal.utilization_pct * 1.0 * ready_replicas(observation);
    return static_cast<double>(proposal.total_milli) / 1000;
}

}  // namespace

double load_of(const policy& policy, const observation& observation, const readings& readings,
               std::span<const proposal> proposals) noexcept {
    const std::int32_t at = policy.forecast->metric;
    if (at == composite_metric) return load_of_composite(policy, observation, readings);
    const metric_policy& metric = policy.metrics[static_cast<std::size_t>(at)];
    if (is_one_number(metric.kind)) {
        return load_of_external(metric, observation, readings, static_cast<std::size_t>(at));
    }
    for (const proposal& one : proposals) {
        if (one.metric == at) return load_of_pods(metric, observation, one);
    }
    return no_number;
}

}  // namespace gputide::decide
