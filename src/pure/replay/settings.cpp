#include "replay/settings.hpp"

#include "base/text.hpp"
#include "replay/recording.hpp"
#include "text/setting.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace gputide::replay {

namespace {

using text::a_choice;
using text::a_flag;
using text::a_list;
using text::a_number;
using text::a_whole;
using text::setting_value;
using ranges = manifest::forecast_rules;

constexpr double day_ms = 86'400'000;
constexpr double any_time_ms = static_cast<double>(latest_ms);
constexpr double max_count = 2'147'483'647.0;
constexpr std::string_view place = "replay settings: ";

constexpr std::array<std::string_view, 2> model_names{"open", "closed"};
constexpr std::array<std::string_view, 3> signal_names{"utilization", "queue", "total"};

template <auto... Path>
constexpr auto to = text::fill_member<settings, Path...>;
template <auto Member>
constexpr auto change = text::fill_member<settings, &settings::change, Member>;

// Rows are applied in their order: the model precedes the delays, because it determines their defaults.
template <auto Member>
bool fill_lag(settings& settings, const setting_value& value) {
    if (!settings.lag) settings.lag = settings.model == model::closed ? closed_loop_hops : hops{};
    text::put((*settings.lag).*Member, value);
    return true;
}

// Sets a budget; null means no limit.
bool fill_budget(settings& settings, const setting_value& value) {
    settings.change.forecast_budget_percent = value.is_null ? std::numeric_limits<double>::infinity() : value.number;
    return true;
}

constexpr text::value_rule a_seed = a_whole(0, 9e15);
constexpr text::value_rule a_signal{
    .form = text::value_form::choice, .names = signal_names, .max_items = max_metrics, .may_be_single = true};
constexpr text::value_rule a_budget{.form = text::value_form::number,
                                    .min = ranges::min_budget_percent,
                                    .max = ranges::max_budget_percent,
                                    .may_be_null = true};

constexpr std::array change_rows{
    setting_row{"threshold", a_number(0.001, 1e15), change<&changes::threshold>, "", "of the first metric"},
    setting_row{"activation_threshold", a_number(-1e15, 1e15), change<&changes::activation_threshold>, "",
                "of the first metric"},
    setting_row{"min", a_whole(0, max_count), change<&changes::min>},
    setting_row{"max", a_whole(1, max_count), change<&changes::max>},
    setting_row{"cooldown_s", a_whole(0, 86'400), change<&changes::cooldown_s>},
    setting_row{"polling_interval_s", a_whole(1, 86'400), change<&changes::polling_interval_s>},
    setting_row{"sync_period_ms", a_whole(1, day_ms), change<&changes::sync_period_ms>},
    setting_row{"tolerance", a_number(0, 10), change<&changes::tolerance>, "", "of both directions"},
    setting_row{"up_window_s", a_whole(0, 3600), change<&changes::up_window_s>},
    setting_row{"down_window_s", a_whole(0, 3600), change<&changes::down_window_s>},
    setting_row{"up_percent", a_whole(1, max_count), change<&changes::up_percent>, "",
                "the only scaling policy of its direction, as the three that follow"},
    setting_row{"up_pods", a_whole(1, max_count), change<&changes::up_pods>},
    setting_row{"down_percent", a_whole(1, max_count), change<&changes::down_percent>},
    setting_row{"down_pods", a_whole(1, max_count), change<&changes::down_pods>},
    setting_row{"policy_period_s", a_whole(1, 1800), change<&changes::policy_period_s>, "", "of these four"},
    setting_row{"in_flight_guard", a_flag, change<&changes::in_flight_guard>},
    setting_row{"gpus_per_replica", a_number(0.001, 10'000), change<&changes::gpus_per_replica>},
    setting_row{"cost_per_gpu_hour", a_number(0, 1e9), change<&changes::cost_per_gpu_hour>},
    setting_row{"forecast", a_choice(manifest::forecast_mode_names), change<&changes::forecast>},
    setting_row{"forecast_lead_ms", a_whole(ranges::min_lead_ms, ranges::max_lead_ms),
                change<&changes::forecast_lead_ms>},
    setting_row{"forecast_budget_percent", a_budget, fill_budget, "", "null: none"},
    setting_row{"forecast_quantile_percent", a_number(ranges::min_quantile_percent, ranges::max_quantile_percent),
                change<&changes::forecast_quantile_percent>},
    setting_row{"forecast_max_raise_percent", a_number(ranges::max_raise_percent_min, ranges::max_raise_percent_max),
                change<&changes::forecast_max_raise_percent>},
    setting_row{"forecast_warmup_ms", a_whole(ranges::min_warmup_ms, ranges::max_warmup_ms),
                change<&changes::forecast_warmup_ms>},
    setting_row{"forecast_history_ms", a_whole(0, ranges::max_history_ms), change<&changes::forecast_history_ms>},
};

constexpr std::array rows{
    setting_row{"model", a_choice(model_names), to<&settings::model>, "open",
                "open: the metric is as recorded. closed: it follows from the load and the replicas that serve it"},
    setting_row{"exporter_ms", a_whole(0, day_ms), fill_lag<&hops::exporter_ms>, "by the model",
                "how long a value is old before it is exported"},
    setting_row{"scrape_ms", a_whole(0, day_ms), fill_lag<&hops::scrape_ms>, "by the model", "the same for the scrape"},
    setting_row{"signal", a_signal, to<&settings::signals>, "utilization",
                "the kind of metric; or a list, one item per metric"},
    setting_row{"saturation", a_number(1e-9, 1e15), to<&settings::saturation>, "100", "the ceiling of utilization"},
    setting_row{"startup_ms", a_list(a_whole(0, day_ms), 1'000), to<&settings::startup_ms>, "[]",
                "a list; each new replica draws one of them"},
    setting_row{"node_ms", a_whole(0, day_ms), to<&settings::node_ms>, "0",
                "the part of each start-up delay that is the wait for a node"},
    setting_row{"seed", a_seed, to<&settings::seed>, "1", "of the draws"},
    setting_row{"hold_ms", a_whole(0, day_ms), to<&settings::hold_ms>, "1.5 steps, or 5 min",
                "how long a recorded value is valid"},
    setting_row{"from_ms", a_whole(0, any_time_ms), to<&settings::from_ms>, "the start of the series", "Unix time"},
    setting_row{"to_ms", a_whole(0, any_time_ms), to<&settings::to_ms>, "the end of the series", "Unix time"},
    setting_row{"initial_replicas", a_whole(0, max_count), to<&settings::initial_replicas>,
                "as recorded, else the minimum", "replicas at the start"},
    setting_row{"recorded_replicas", a_whole(0, max_count), to<&settings::recorded_replicas>, "as recorded",
                "the constant size of the workload if the series has no sizes"},
    setting_row{"above", a_list(a_number(0, 1e15), max_metrics), to<&settings::above>, "target and tolerance",
                "a list: the level of \"above target\", per metric"},
    setting_row{"flap_window_ms", a_whole(0, day_ms), to<&settings::flap_window_ms>, "600000",
                "a change that reverses the one before it within this time is a flap"},
    setting_row{"events", a_whole(0, 100'000), to<&settings::events>, "1000",
                "changes kept with their reasons; 0: none"},
    setting_row{"chart_points", a_whole(0, 100'000), to<&settings::chart_points>, "1500", "at most; 0: no chart"},
    setting_row{"verify", a_flag, to<&settings::verify>, "false",
                "follows the sizes of a run log and compares its decisions"},
    setting_row{.name = "set", .fallback = "{}", .meaning = "changes of the policy", .members = change_rows},
};

}  // namespace

std::string_view model_name(model model) noexcept { return model_names[static_cast<std::size_t>(model)]; }
std::string_view signal_name(signal signal) noexcept { return signal_names[static_cast<std::size_t>(signal)]; }

std::span<const setting_row> setting_rows() { return rows; }

result<settings> read_settings(std::string_view json) {
    constexpr std::size_t max_bytes = std::size_t{1} << 20;
    settings out;
    error why = text::read_json_settings(std::string(place), json, max_bytes, setting_rows(), out);
    if (why.status == status::ok) return out;
    return why;
}

// Applies single changes to a policy, as if the manifest had these values.

namespace {

manifest::behavior& behavior_in(decide::policy& policy) {
    if (!policy.scaling.behavior) policy.scaling.behavior = manifest::default_behavior(policy.scaling.controller);
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
