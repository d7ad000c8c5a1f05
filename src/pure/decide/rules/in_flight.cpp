// The in-flight guard; see in_flight.hpp for the formula.
#include "decide/rules/in_flight.hpp"

#include "decide/hpa/tolerance.hpp"
#include "decide/readings.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

bool is_mean_over_replicas(const metric_policy& metric) noexcept {
    return !is_one_number(metric.kind) || metric.type == config::target_type::value;
}

}  // namespace

void guard_in_flight(const policy& policy, const observation& observation, const metric_policy& metric,
                     proposal& proposal) noexcept {
    if (!policy.scaling.extra.in_flight_guard || proposal.failure != metric_failure::none) return;
    if (proposal.held || proposal.from_fallback || !is_mean_over_replicas(metric)) return;
    const std::int32_t ready = ready_replicas(observation);
    const std::int32_t capacity = std::max(observation.spec_replicas, status_replicas(observation));
    if (ready <= 0 || ready >= capacity || !(proposal.ratio > 1.0)) return;
    const double served = proposal.ratio * static_cast<double>(ready) / static_cast<double>(capacity);
    const bool enough = served <= tolerance_of(metric, tolerance_of(policy)).high;
    const std::int32_t guarded =
        enough ? observation.spec_replicas : std::max(proposal.replicas, observation.spec_replicas);
    proposal.guarded = guarded != proposal.replicas;
    proposal.replicas = guarded;
}

}  // namespace gputide::decide
