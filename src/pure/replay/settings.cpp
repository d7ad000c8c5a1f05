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
// Rows are applied in their order: the model precedes the delays, because it determines their defaults.
template <auto Member>
bool fill_lag(settings& settings, const setting_value& value) {
    if (!settings.lag) settings.lag = settings.model == model::closed ? closed_loop_hops : hops{};
    text::put((*settings.lag).*Member, value);
    return true;
}

bool keep(settings& settings, decltype(change::apply) apply, const setting_value& value) {
    settings.changes.push_back({apply, value});
    settings.changes.back().value.text = {};  // it ends with the JSON text
    return true;
}

// Keeps a change until the policy is known.
template <void (*Apply)(policy_edit&, const setting_value&)>
bool change_by(settings& settings, const setting_value& value) {
    return keep(settings, Apply, value);
}

template <auto... Path>
void put_member(policy_edit& to, const setting_value& value) {
    put((to.policy.scaling.*....*Path), value);
}
template <auto... Path>
constexpr auto change_of = change_by<put_member<Path...>>;
template <auto Member>
constexpr auto forecast = change_of<&manifest::scaling::extra, &manifest::extra_rules::forecast, Member>;

manifest::behavior& behavior_of(policy_edit& to) {
    manifest::scaling& scaling = to.policy.scaling;
    if (!scaling.behavior) scaling.behavior = manifest::default_behavior(scaling.controller);
    return *scaling.behavior;
}

template <manifest::scaling_rules manifest::behavior::*Direction>
void set_window(policy_edit& to, const setting_value& value) {
    put((behavior_of(to).*Direction).window_s, value);
}

// The first change of a direction replaces the policies of the manifest.
template <manifest::scaling_rules manifest::behavior::*Direction, bool policy_edit::*HasPolicy,
          manifest::policy_type Type>
void add_policy(policy_edit& to, const setting_value& value) {
    constexpr std::int32_t default_period_s = 15;
    std::vector<manifest::scaling_policy>& policies = (behavior_of(to).*Direction).policies;
    if (!std::exchange(to.*HasPolicy, true)) policies.clear();
    policies.push_back({Type, static_cast<std::int32_t>(value.whole), default_period_s});
}
template <manifest::policy_type Type>
constexpr auto up_by = change_by<add_policy<&manifest::behavior::up, &policy_edit::has_up_policy, Type>>;
template <manifest::policy_type Type>
constexpr auto down_by = change_by<add_policy<&manifest::behavior::down, &policy_edit::has_down_policy, Type>>;

void set_periods(policy_edit& to, const setting_value& value) {
    manifest::behavior& behavior = behavior_of(to);
    for (manifest::scaling_rules* rules : {&behavior.up, &behavior.down})
        for (manifest::scaling_policy& policy : rules->policies) put(policy.period_s, value);
}

void set_tolerance(policy_edit& to, const setting_value& value) {
    manifest::behavior& behavior = behavior_of(to);
    behavior.up.tolerance = behavior.down.tolerance = value.number;
}

void set_threshold(policy_edit& to, const setting_value& value) {
    to.has_threshold = true;
    if (to.policy.metrics.empty()) return;
    decide::metric_policy& metric = to.policy.metrics[0];
    if (metric.type == manifest::target_type::utilization) {
        metric.utilization_pct = static_cast<std::int32_t>(std::lround(value.number));
    } else {
        metric.target_milli = static_cast<std::int64_t>(std::ceil(value.number * 1000.0 - 1e-6));
    }
}

void set_activation_threshold(policy_edit& to, const setting_value& value) {
    if (!to.policy.metrics.empty()) to.policy.metrics[0].activation_threshold = value.number;
}

void set_gpus(policy_edit& to, const setting_value& value) {
    to.policy.scaling.extra.gpus_per_replica_milli = std::llround(value.number * 1000.0);
}

constexpr text::value_rule a_seed = a_whole(0, 9e15);
constexpr text::value_rule a_signal{
    .form = text::value_form::choice, .names = signal_names, .max_items = max_metrics, .may_be_single = true};
constexpr text::value_rule a_budget{.form = text::value_form::number,
                                    .min = ranges::min_budget_percent,
                                    .max = ranges::max_budget_percent,
                                    .may_be_null = true};

// Applied in their order: the period follows the policies that it is of.
constexpr std::array change_rows{
    setting_row{"threshold", a_number(0.001, 1e15), change_by<set_threshold>, "", "of the first metric"},
    setting_row{"activation_threshold", a_number(-1e15, 1e15), change_by<set_activation_threshold>, "",
                "of the first metric"},
    setting_row{"min", a_whole(0, max_count), change_of<&manifest::scaling::min>},
    setting_row{"max", a_whole(1, max_count), change_of<&manifest::scaling::max>},
    setting_row{"cooldown_s", a_whole(0, 86'400), change_of<&manifest::scaling::cooldown_s>},
    setting_row{"polling_interval_s", a_whole(1, 86'400), change_of<&manifest::scaling::polling_interval_s>},
    setting_row{"sync_period_ms", a_whole(1, day_ms),
                change_of<&manifest::scaling::extra, &manifest::extra_rules::sync_period_ms>},
    setting_row{"tolerance", a_number(0, 10), change_by<set_tolerance>, "", "of both directions"},
    setting_row{"up_window_s", a_whole(0, 3600), change_by<set_window<&manifest::behavior::up>>},
    setting_row{"down_window_s", a_whole(0, 3600), change_by<set_window<&manifest::behavior::down>>},
    setting_row{"up_percent", a_whole(1, max_count), up_by<manifest::policy_type::percent>, "",
                "the only scaling policy of its direction, as the three that follow"},
    setting_row{"up_pods", a_whole(1, max_count), up_by<manifest::policy_type::pods>},
    setting_row{"down_percent", a_whole(1, max_count), down_by<manifest::policy_type::percent>},
    setting_row{"down_pods", a_whole(1, max_count), down_by<manifest::policy_type::pods>},
    setting_row{"policy_period_s", a_whole(1, 1800), change_by<set_periods>, "", "of these four"},
    setting_row{"in_flight_guard", a_flag,
                change_of<&manifest::scaling::extra, &manifest::extra_rules::in_flight_guard>},
    setting_row{"gpus_per_replica", a_number(0.001, 10'000), change_by<set_gpus>},
    setting_row{"cost_per_gpu_hour", a_number(0, 1e9),
                change_of<&manifest::scaling::extra, &manifest::extra_rules::cost_per_gpu_hour>},
    setting_row{"forecast", a_choice(manifest::forecast_mode_names), forecast<&ranges::mode>},
    setting_row{"forecast_lead_ms", a_whole(ranges::min_lead_ms, ranges::max_lead_ms), forecast<&ranges::lead_ms>},
    setting_row{"forecast_budget_percent", a_budget, forecast<&ranges::budget_percent>, "", "null: none"},
    setting_row{"forecast_quantile_percent", a_number(ranges::min_quantile_percent, ranges::max_quantile_percent),
                forecast<&ranges::quantile_percent>},
    setting_row{"forecast_max_raise_percent", a_number(ranges::max_raise_percent_min, ranges::max_raise_percent_max),
                forecast<&ranges::max_raise_percent>},
    setting_row{"forecast_warmup_ms", a_whole(ranges::min_warmup_ms, ranges::max_warmup_ms),
                forecast<&ranges::warmup_ms>},
    setting_row{"forecast_history_ms", a_whole(0, ranges::max_history_ms), forecast<&ranges::history_ms>},
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

result<decide::policy> changed(decide::policy policy, std::span<const change> changes) {
    policy_edit edit{std::move(policy)};
    for (const change& change : changes) change.apply(edit, change.value);
    if (edit.has_threshold && edit.policy.formula != nullptr)
        return fail(
            status::invalid,
            "set threshold: scalingModifiers have their own target, and the thresholds of metrics have no effect");
    const manifest::scaling& scaling = edit.policy.scaling;
    if (scaling.min.value_or(0) > scaling.max)
        return fail(status::invalid, "set: min {} is above max {}", *scaling.min, scaling.max);
    // The target, or the period that depends on it, may have changed.
    result<std::shared_ptr<const decide::forecast_rule>> forecast = decide::make_forecast_rule(edit.policy);
    if (!forecast) return forecast.take_failure();
    edit.policy.forecast = *std::move(forecast);
    return std::move(edit.policy);
}

}  // namespace gputide::replay
