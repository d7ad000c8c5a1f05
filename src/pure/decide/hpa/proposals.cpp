// Selects the formula for each metric; proposals.hpp has the formulas.
#include "decide/hpa/proposals.hpp"

#include "base/quantity.hpp"
#include "decide/readings.hpp"
#include "decide/rules.hpp"
#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

// The values that all metrics of one pass share.
struct setting {
    const decide::policy& policy;
    const decide::observation& observation;
    tolerance general;
};

bool joins_composite(const policy& policy, std::size_t metric) noexcept {
    return policy.formula && policy.metrics[metric].kind == metric_kind::external;
}

proposal failed(metric_failure why, sample_state read) noexcept {
    proposal out;
    out.failure = why;
    out.read = read;
    return out;
}

proposal keep_size(const observation& observation) noexcept {
    proposal out;
    out.held = true;
    out.replicas = observation.spec_replicas;
    out.ratio = 1.0;
    return out;
}

ready_pods ready_of(const observation& observation) noexcept {
    const std::int32_t ready = ready_replicas(observation);
    if (observation.lists_pods || !observation.pods.empty()) return {ready, !observation.pods.empty()};
    return {ready, ready > 0 || status_replicas(observation) > 0};
}

proposal proposal_of_number(const setting& setting, manifest::target_type type, std::int64_t usage_milli,
                            std::int64_t target_milli, const tolerance& band) noexcept {
    if (target_milli <= 0) return failed(metric_failure::no_target, sample_state::ok);
    if (type == manifest::target_type::value) {
        return value_replicas(usage_milli, target_milli, setting.observation.spec_replicas,
                              ready_of(setting.observation), band);
    }
    return average_replicas(usage_milli, target_milli, status_replicas(setting.observation), band);
}

metric_failure failure_of(const reading& read, const passed_metric& passed) noexcept {
    if (read.ruled.action != no_data_action::none) return metric_failure::no_data_rule;
    if (passed.fallback_failed) return metric_failure::fallback;
    return read.ruled.value.state == sample_state::empty ? metric_failure::no_metrics : metric_failure::read;
}

// Under an autoscaling/v2 manifest a negative value keeps its sign.  For KEDA, passed_metric has the value clamped to 0.
std::int64_t usage_of(const policy& policy, const reading& read, const passed_metric& passed) noexcept {
    const bool native = policy.scaling.kind == manifest::manifest_kind::horizontal_pod_autoscaler;
    if (native && !passed.fallback_active && read.ruled.value.value < 0) return -keda_milli(-read.ruled.value.value);
    return passed.value_milli;
}

proposal proposal_of_external(const setting& setting, std::size_t at, const readings& readings) noexcept {
    const metric_policy& metric = setting.policy.metrics[at];
    const reading& read = readings.read[at];
    const passed_metric& passed = readings.passed[at];
    if (read.ruled.action == no_data_action::hold) return keep_size(setting.observation);
    const sample& value = read.ruled.value;
    const bool is_empty = value.state == sample_state::empty && !passed.fallback_active;
    if (passed.error || is_empty) return failed(failure_of(read, passed), value.state);
    const std::int64_t target_milli = metric.target_milli_for(value);
    const std::int64_t usage_milli = usage_of(setting.policy, read, passed);
    const bool has_own_band = metric.rules.scale_up_above || metric.rules.scale_down_below;  // rare; needs a division
    return proposal_of_number(
        setting, metric.type, usage_milli, target_milli,
        has_own_band ? tolerance_of(metric, metric.target_in(target_milli), setting.general) : setting.general);
}

pods_input input_of(const setting& setting, std::size_t at) noexcept {
    const metric_policy& metric = setting.policy.metrics[at];
    pods_input out;
    out.pods = setting.observation.pods;
    out.samples = setting.observation.pod_samples;
    out.metric = static_cast<std::int32_t>(at);
    out.is_answered = setting.observation.lists_pods || (at < setting.observation.samples.size() &&
                                                         setting.observation.samples[at].state == sample_state::ok);
    out.cpu = metric.is_resource() && metric.name == "cpu";
    out.spec_replicas = setting.observation.spec_replicas;
    out.band = tolerance_of(metric, setting.general);
    const manifest::controller_flags& controller = setting.policy.scaling.controller;
    out.by = {setting.observation.now_ms, std::int64_t{controller.cpu_initialization_s} * 1000,
              std::int64_t{controller.initial_readiness_s} * 1000,
              manifest::holds(manifest::version_rule::ignores_succeeded_pods, controller.versions)};
    return out;
}

proposal proposal_of_pods(const setting& setting, std::size_t at, const readings& readings) {
    const metric_policy& metric = setting.policy.metrics[at];
    const sample_state state = readings.read[at].ruled.value.state;
    if (state == sample_state::empty) return failed(metric_failure::no_metrics, state);
    if (state != sample_state::ok && state != sample_state::not_given) return failed(metric_failure::read, state);
    if (metric.type == manifest::target_type::utilization) {
        if (metric.utilization_pct <= 0) return failed(metric_failure::no_target, sample_state::ok);
        return resource_utilization(input_of(setting, at), metric.utilization_pct);
    }
    if (metric.target_milli <= 0) return failed(metric_failure::no_target, sample_state::ok);
    return pods_average(input_of(setting, at), metric.target_milli);
}

proposal proposal_of_metric(const setting& setting, std::size_t at, const readings& readings) {
    switch (setting.policy.metrics[at].kind) {
        case metric_kind::external:
        case metric_kind::object:
            return proposal_of_external(setting, at, readings);
        case metric_kind::pods:
        case metric_kind::resource:
        case metric_kind::container_resource:
            return proposal_of_pods(setting, at, readings);
        case metric_kind::unknown:
            break;
    }
    return failed(metric_failure::unknown_type, sample_state::ok);
}

proposal proposal_of_composite(const setting& setting, const composite& combined) noexcept {
    if (combined.state == composite_state::none) return keep_size(setting.observation);  // held
    if (!combined.has_value) return failed(metric_failure::formula, sample_state::ok);
    proposal out = proposal_of_number(
        setting,
        setting.policy.scaling.modifiers ? setting.policy.scaling.modifiers->metric_type : manifest::target_type{},
        combined.value_milli, setting.policy.composite_target_milli, setting.general);
    out.from_fallback = combined.state == composite_state::fallback || combined.state == composite_state::nil_replaced;
    return out;
}

}  // namespace

std::size_t proposal_count_of_formula(const policy& policy) noexcept {
    const auto others = std::ranges::count_if(
        policy.metrics, [](const metric_policy& metric) { return metric.kind != metric_kind::external; });
    return static_cast<std::size_t>(others) + 1;
}

void propose_all(const policy& policy, const observation& observation, const readings& readings,
                 std::span<proposal> out) {
    const setting setting{policy, observation, tolerance_of(policy)};
    std::size_t next = 0;
    const std::size_t metrics = readings.read.size();
    for (std::size_t i = 0; i < metrics; ++i) {
        if (joins_composite(policy, i)) continue;
        proposal& proposal = build(out[next++], [&] { return proposal_of_metric(setting, i, readings); });
        proposal.from_fallback = readings.passed[i].fallback_active && proposal.failure == metric_failure::none;
        proposal.metric = static_cast<std::int32_t>(i);
        guard_in_flight(policy, observation, policy.metrics[i], proposal);
    }
    if (!policy.formula) return;
    build(out[next], [&] { return proposal_of_composite(setting, readings.modifiers); });
    out[next].metric = composite_metric;
}

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

// ---- External and Object metrics.  The double expressions are those of upstream and must not be rearranged: ceil(ratio * n) and
// ceil(value * n / target) differ in the last bit.

namespace {

// Returns the usage per pod, rounded up: 20166 / 4 → 5042; 0 without pods.  A saturated sum stays saturated.
std::int64_t usage_per_pod(std::int64_t usage_milli, std::int32_t pods) noexcept {
    if (static_cast<double>(usage_milli) >= 9223372036854775808.0) return std::numeric_limits<std::int64_t>::max();
    if (pods == 0) return 0;
    return ceil_int64(static_cast<double>(usage_milli) / static_cast<double>(pods));
}

}  // namespace

proposal value_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t spec_replicas,
                        const ready_pods& ready, const tolerance& band) noexcept {
    proposal out;
    out.usage_milli = usage_milli;
    out.ratio = static_cast<double>(usage_milli) / static_cast<double>(target_milli);
    if (spec_replicas == 0) {
        out.replicas = ceil_replicas(out.ratio);
        return out;
    }
    out.within_tolerance = within(band, out.ratio);
    if (out.within_tolerance) {
        out.replicas = spec_replicas;
    } else if (!ready.any_listed) {
        out.failure = metric_failure::no_pods;
    } else {
        out.replicas = ceil_replicas(out.ratio * static_cast<double>(ready.count));
    }
    return out;
}

proposal average_replicas(std::int64_t usage_milli, std::int64_t target_milli, std::int32_t status_replicas,
                          const tolerance& band) noexcept {
    const auto usage = static_cast<double>(usage_milli);
    const auto target = static_cast<double>(target_milli);
    proposal out;
    out.usage_milli = usage_per_pod(usage_milli, status_replicas);
    out.ratio = usage / (target * static_cast<double>(status_replicas));
    out.within_tolerance = within(band, out.ratio);
    out.replicas = out.within_tolerance ? status_replicas : ceil_replicas(usage / target);
    return out;
}

combined combine_proposals(std::span<const proposal> metrics, std::int32_t spec_replicas) noexcept {
    combined out;
    std::int32_t best = 0;  // as upstream, 0 also means that nothing was proposed yet
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const auto at = static_cast<std::int32_t>(i);
        if (metrics[i].failure != metric_failure::none) {
            ++out.failed;
            if (out.first_failed < 0) out.first_failed = at;
        } else if (best == 0 || metrics[i].replicas > best) {
            best = metrics[i].replicas;
            out.winner = at;
        }
    }
    const auto total = static_cast<std::int32_t>(metrics.size());
    out.valid = out.failed < total && (out.failed == 0 || best >= spec_replicas);
    out.replicas = std::max(best, 0);
    return out;
}

}  // namespace gputide::decide
