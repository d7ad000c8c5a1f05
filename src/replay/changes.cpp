// A policy with single values changed, as the manifest would have them.
#include "base/text.hpp"
#include "replay/settings.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace gputide::replay {
namespace {

config::behavior& behavior_in(decide::policy& policy) {
    if (!policy.scaling.behavior) policy.scaling.behavior = decide::default_behavior(policy);
    return *policy.scaling.behavior;
}

void set_policies(config::scaling_rules& of, std::optional<std::int32_t> percent, std::optional<std::int32_t> pods,
                  const changes& by) {
    if (percent || pods) {
        of.policies.clear();
        const std::int32_t period_s = by.policy_period_s.value_or(15);
        if (percent) of.policies.push_back({config::policy_type::percent, *percent, period_s});
        if (pods) of.policies.push_back({config::policy_type::pods, *pods, period_s});
    } else if (by.policy_period_s) {
        for (config::scaling_policy& one : of.policies) one.period_s = *by.policy_period_s;
    }
}

bool touches_behavior(const changes& by) {
    return by.tolerance || by.up_window_s || by.down_window_s || by.up_percent || by.up_pods || by.down_percent ||
           by.down_pods || by.policy_period_s;
}

void set_behavior(decide::policy& of, const changes& by) {
    if (!touches_behavior(by)) return;
    config::behavior& rules = behavior_in(of);
    if (by.tolerance) rules.up.tolerance = rules.down.tolerance = *by.tolerance;
    if (by.up_window_s) rules.up.window_s = *by.up_window_s;
    if (by.down_window_s) rules.down.window_s = *by.down_window_s;
    set_policies(rules.up, by.up_percent, by.up_pods, by);
    set_policies(rules.down, by.down_percent, by.down_pods, by);
}

result<void> set_target(decide::policy& of, const changes& by) {
    if (by.threshold && of.formula != nullptr)
        return fail(status::invalid,
                    "set threshold: scalingModifiers have a target of their own, and no metric's threshold counts");
    if (of.metrics.empty()) return {};
    if (by.threshold) of.metrics[0].target_milli = static_cast<std::int64_t>(std::ceil(*by.threshold * 1000.0 - 1e-6));
    if (by.activation_threshold) of.metrics[0].activation_threshold = *by.activation_threshold;
    return {};
}

}  // namespace

result<decide::policy> changed(decide::policy from, const changes& by) {
    if (result<void> ok = set_target(from, by); !ok) return std::move(ok).failure();
    config::scaling& scaling = from.scaling;
    if (by.min) scaling.min = *by.min;
    if (by.max) scaling.max = *by.max;
    if (scaling.min.value_or(0) > scaling.max)
        return fail(status::invalid,
                    "set: min " + std::to_string(*scaling.min) + " is above max " + std::to_string(scaling.max));
    if (by.cooldown_s) scaling.cooldown_s = *by.cooldown_s;
    if (by.polling_interval_s) scaling.polling_interval_s = *by.polling_interval_s;
    if (by.sync_period_ms) scaling.extra.sync_period_ms = *by.sync_period_ms;
    if (by.in_flight_guard) scaling.extra.in_flight_guard = *by.in_flight_guard;
    if (by.gpus_per_replica) scaling.extra.gpus_per_replica_milli = std::llround(*by.gpus_per_replica * 1000.0);
    if (by.cost_per_gpu_hour) scaling.extra.cost_per_gpu_hour = *by.cost_per_gpu_hour;
    set_behavior(from, by);
    return from;
}

}  // namespace gputide::replay
