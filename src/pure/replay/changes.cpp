// Applies single changes to a policy, as if the manifest had these values.
#include "base/text.hpp"
#include "replay/settings.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace gputide::replay {
namespace {

manifest::behavior& behavior_in(decide::policy& policy) {
    if (!policy.scaling.behavior) policy.scaling.behavior = decide::default_behavior(policy);
    return *policy.scaling.behavior;
}

void set_policies(manifest::scaling_rules& rules, std::optional<std::int32_t> percent, std::optional<std::int32_t> pods,
                  const changes& changes) {
    if (percent || pods) {
        rules.policies.clear();
        const std::int32_t period_s = changes.policy_period_s.value_or(15);
        if (percent) rules.policies.push_back({manifest::policy_type::percent, *percent, period_s});
        if (pods) rules.policies.push_back({manifest::policy_type::pods, *pods, period_s});
    } else if (changes.policy_period_s) {
        for (manifest::scaling_policy& policy : rules.policies) policy.period_s = *changes.policy_period_s;
    }
}

bool touches_behavior(const changes& changes) {
    return changes.tolerance || changes.up_window_s || changes.down_window_s || changes.up_percent || changes.up_pods ||
           changes.down_percent || changes.down_pods || changes.policy_period_s;
}

void set_behavior(decide::policy& policy, const changes& changes) {
    if (!touches_behavior(changes)) return;
    manifest::behavior& rules = behavior_in(policy);
    if (changes.tolerance) rules.up.tolerance = rules.down.tolerance = *changes.tolerance;
    if (changes.up_window_s) rules.up.window_s = *changes.up_window_s;
    if (changes.down_window_s) rules.down.window_s = *changes.down_window_s;
    set_policies(rules.up, changes.up_percent, changes.up_pods, changes);
    set_policies(rules.down, changes.down_percent, changes.down_pods, changes);
}

void set_forecast(manifest::forecast_rules& rules, const changes& changes) {
    if (changes.forecast) rules.mode = static_cast<manifest::forecast_mode>(*changes.forecast);
    if (changes.forecast_lead_ms) rules.lead_ms = *changes.forecast_lead_ms;
    if (changes.forecast_budget_percent) {
        rules.budget_percent = changes.forecast_budget_percent;
        if (std::isinf(*rules.budget_percent)) rules.budget_percent.reset();
    }
    if (changes.forecast_quantile_percent) rules.quantile_percent = *changes.forecast_quantile_percent;
    if (changes.forecast_max_raise_percent) rules.max_raise_percent = *changes.forecast_max_raise_percent;
    if (changes.forecast_warmup_ms) rules.warmup_ms = *changes.forecast_warmup_ms;
    if (changes.forecast_history_ms) rules.history_ms = *changes.forecast_history_ms;
}

result<void> set_target(decide::policy& policy, const changes& changes) {
    if (changes.threshold && policy.formula != nullptr)
        return fail(
            status::invalid,
            "set threshold: scalingModifiers have their own target, and the thresholds of metrics have no effect");
    if (policy.metrics.empty()) return {};
    if (changes.threshold && policy.metrics[0].type == manifest::target_type::utilization)
        policy.metrics[0].utilization_pct = static_cast<std::int32_t>(std::lround(*changes.threshold));
    else if (changes.threshold)
        policy.metrics[0].target_milli = static_cast<std::int64_t>(std::ceil(*changes.threshold * 1000.0 - 1e-6));
    if (changes.activation_threshold) policy.metrics[0].activation_threshold = *changes.activation_threshold;
    return {};
}

}  // namespace

result<decide::policy> changed(decide::policy policy, const changes& changes) {
    if (result<void> ok = set_target(policy, changes); !ok) return ok.take_failure();
    manifest::scaling& scaling = policy.scaling;
    if (changes.min) scaling.min = *changes.min;
    if (changes.max) scaling.max = *changes.max;
    if (scaling.min.value_or(0) > scaling.max)
        return fail(status::invalid, "set: min {} is above max {}", *scaling.min, scaling.max);
    if (changes.cooldown_s) scaling.cooldown_s = *changes.cooldown_s;
    if (changes.polling_interval_s) scaling.polling_interval_s = *changes.polling_interval_s;
    if (changes.sync_period_ms) scaling.extra.sync_period_ms = *changes.sync_period_ms;
    if (changes.in_flight_guard) scaling.extra.in_flight_guard = *changes.in_flight_guard;
    if (changes.gpus_per_replica)
        scaling.extra.gpus_per_replica_milli = std::llround(*changes.gpus_per_replica * 1000.0);
    if (changes.cost_per_gpu_hour) scaling.extra.cost_per_gpu_hour = *changes.cost_per_gpu_hour;
    set_behavior(policy, changes);
    set_forecast(scaling.extra.forecast, changes);
    // The target, or the period that depends on it, may have changed.
    result<std::shared_ptr<const decide::forecast_rule>> forecast = decide::make_forecast_rule(policy);
    if (!forecast) return forecast.take_failure();
    policy.forecast = *std::move(forecast);
    return policy;
}

}  // namespace gputide::replay
