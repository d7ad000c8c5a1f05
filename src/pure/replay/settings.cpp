#include "replay/settings.hpp"

#include "replay/recording.hpp"
#include "text/setting.hpp"

#include <array>
#include <limits>

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

}  // namespace gputide::replay
