#include "replay/settings.hpp"

#include "base/format_text.hpp"
#include "base/json_memory.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "replay/recording.hpp"

#include <simdjson.h>

#include <array>
#include <cmath>
#include <limits>

namespace gputide::replay {
namespace {

namespace dom = simdjson::dom;
constexpr std::int64_t day_ms = 86'400'000;
constexpr std::size_t most_settings_bytes = std::size_t{1} << 20;
constexpr std::size_t most_startups = 1'000;

constexpr std::array model_names{"open", "closed"};
constexpr std::array signal_names{"utilization", "queue", "total"};
constexpr std::array forecast_modes{"off", "observe", "act"};  // in the order of config::forecast_mode

error wrong(std::string_view name, const std::string& expected) {
    return fail_at(status::invalid, "replay settings: " + std::string(name), "expected " + expected);
}

result<double> number_in(dom::element element, std::string_view name, double least, double most) {
    double out = 0.0;
    if (element.get(out) != simdjson::SUCCESS || !(out >= least && out <= most))
        return wrong(name, format_text("a number of {} to {}", shortest(least), shortest(most)));
    return out;
}

// Integers up to 2^53 convert to double without loss.
template <class Whole>
result<void> take_whole(dom::element element, std::string_view name, double least, double most, Whole& into) {
    result<double> number = number_in(element, name, least, most);
    if (!number) return std::move(number).failure();
    if (*number != std::floor(*number)) return wrong(name, "a whole number");
    into = static_cast<Whole>(*number);
    return {};
}

template <class Whole>
result<void> take_whole(dom::element element, std::string_view name, double least, double most,
                        std::optional<Whole>& into) {
    return take_whole(element, name, least, most, into.emplace());
}

result<void> take_number(dom::element element, std::string_view name, double least, double most,
                         std::optional<double>& into) {
    result<double> number = number_in(element, name, least, most);
    if (!number) return std::move(number).failure();
    into = *number;
    return {};
}

result<void> take_flag(dom::element element, std::string_view name, bool& into) {
    if (element.get(into) != simdjson::SUCCESS) return wrong(name, "true or false");
    return {};
}

template <std::size_t Size>
result<std::int32_t> word_in(dom::element element, std::string_view name, const std::array<const char*, Size>& words) {
    std::string_view text;
    std::string all;
    const bool is_text = element.get(text) == simdjson::SUCCESS;
    for (std::size_t i = 0; i < Size; ++i) {
        if (is_text && text == words[i]) return static_cast<std::int32_t>(i);
        all += (i == 0 ? "" : i + 1 == Size ? " or " : ", ") + std::string(words[i]);
    }
    return wrong(name, all);
}

result<void> take_signal(dom::element element, settings& settings) {
    dom::array list;
    if (element.get(list) != simdjson::SUCCESS) {
        result<std::int32_t> value = word_in(element, "signal", signal_names);
        if (!value) return std::move(value).failure();
        settings.signals = {static_cast<signal>(*value)};
        return {};
    }
    for (dom::element entry : list) {
        result<std::int32_t> value = word_in(entry, "signal", signal_names);
        if (!value) return std::move(value).failure();
        if (settings.signals.size() >= most_metrics) return wrong("signal", "at most 256 words");
        settings.signals.push_back(static_cast<signal>(*value));
    }
    return {};
}

result<void> take_startups(dom::element element, settings& settings) {
    dom::array list;
    if (element.get(list) != simdjson::SUCCESS) return wrong("startup_ms", "a list of durations");
    for (dom::element entry : list) {
        if (settings.startup_ms.size() >= most_startups) return wrong("startup_ms", "at most 1000 durations");
        if (auto ok = take_whole(entry, "startup_ms", 0, day_ms, settings.startup_ms.emplace_back()); !ok) return ok;
    }
    return {};
}

result<void> take_levels(dom::element element, settings& settings) {
    dom::array list;
    if (element.get(list) != simdjson::SUCCESS) return wrong("above", "a list of numbers");
    for (dom::element entry : list) {
        result<double> level = number_in(entry, "above", 0, 1e15);
        if (!level) return std::move(level).failure();
        if (settings.above.size() >= most_metrics) return wrong("above", "at most 256 numbers");
        settings.above.push_back(*level);
    }
    return {};
}

constexpr double most_count = 2'147'483'647.0;

constexpr std::array change_names{"threshold",
                                  "activation_threshold",
                                  "min",
                                  "max",
                                  "cooldown_s",
                                  "polling_interval_s",
                                  "sync_period_ms",
                                  "tolerance",
                                  "up_window_s",
                                  "down_window_s",
                                  "up_percent",
                                  "up_pods",
                                  "down_percent",
                                  "down_pods",
                                  "policy_period_s",
                                  "in_flight_guard",
                                  "gpus_per_replica",
                                  "cost_per_gpu_hour",
                                  "forecast",
                                  "forecast_lead_ms",
                                  "forecast_budget_percent",
                                  "forecast_quantile_percent",
                                  "forecast_max_raise_percent",
                                  "forecast_warmup_ms",
                                  "forecast_history_ms"};

constexpr std::array member_names{
    "model", "exporter_ms",    "scrape_ms", "signal",       "saturation",       "startup_ms",
    "seed",  "hold_ms",        "from_ms",   "to_ms",        "initial_replicas", "recorded_replicas",
    "above", "flap_window_ms", "events",    "chart_points", "verify",           "set"};

// Suggests the most similar name, else lists all names.
template <std::size_t Size>
error unknown(std::string_view name, std::string_view place, const std::array<const char*, Size>& names) {
    const std::string_view near = nearest(name, {names.begin(), names.end()});
    std::string text = "there is no " + in_quotes(name);
    if (!near.empty()) {
        text += "; did you mean " + in_quotes(near) + "?";
    } else {
        for (std::size_t i = 0; i < Size; ++i) text += (i == 0 ? "; expected one of " : ", ") + std::string(names[i]);
    }
    return fail_at(status::invalid, std::string(place), std::move(text));
}

// A budget of null means none.
result<void> take_forecast(std::string_view name, dom::element value, changes& changes) {
    using rules = config::forecast_rules;
    if (name == "forecast") {
        result<std::int32_t> mode = word_in(value, name, forecast_modes);
        if (!mode) return std::move(mode).failure();
        changes.forecast = *mode;
        return {};
    }
    if (name == "forecast_lead_ms")
        return take_whole(value, name, rules::least_lead_ms, rules::most_lead_ms, changes.forecast_lead_ms);
    if (name == "forecast_history_ms")
        return take_whole(value, name, 0, rules::most_history_ms, changes.forecast_history_ms);
    if (name == "forecast_budget_percent" && value.is_null()) {
        changes.forecast_budget_percent = std::numeric_limits<double>::infinity();
        return {};
    }
    if (name == "forecast_budget_percent")
        return take_number(value, name, rules::least_budget_percent, rules::most_budget_percent,
                           changes.forecast_budget_percent);
    if (name == "forecast_quantile_percent")
        return take_number(value, name, rules::least_quantile_percent, rules::most_quantile_percent,
                           changes.forecast_quantile_percent);
    if (name == "forecast_max_raise_percent")
        return take_number(value, name, rules::least_raise_percent, rules::most_raise_percent,
                           changes.forecast_max_raise_percent);
    if (name == "forecast_warmup_ms")
        return take_whole(value, name, rules::least_warmup_ms, rules::most_warmup_ms, changes.forecast_warmup_ms);
    return unknown(name, "replay settings: set", change_names);
}

result<void> take_change(std::string_view name, dom::element value, changes& changes) {
    if (name == "threshold") return take_number(value, name, 0.001, 1e15, changes.threshold);
    if (name == "activation_threshold") return take_number(value, name, -1e15, 1e15, changes.activation_threshold);
    if (name == "min") return take_whole(value, name, 0, most_count, changes.min);
    if (name == "max") return take_whole(value, name, 1, most_count, changes.max);
    if (name == "cooldown_s") return take_whole(value, name, 0, 86'400, changes.cooldown_s);
    if (name == "polling_interval_s") return take_whole(value, name, 1, 86'400, changes.polling_interval_s);
    if (name == "sync_period_ms") return take_whole(value, name, 1, day_ms, changes.sync_period_ms);
    if (name == "tolerance") return take_number(value, name, 0, 10, changes.tolerance);
    if (name == "up_window_s") return take_whole(value, name, 0, 3600, changes.up_window_s);
    if (name == "down_window_s") return take_whole(value, name, 0, 3600, changes.down_window_s);
    if (name == "up_percent") return take_whole(value, name, 1, most_count, changes.up_percent);
    if (name == "up_pods") return take_whole(value, name, 1, most_count, changes.up_pods);
    if (name == "down_percent") return take_whole(value, name, 1, most_count, changes.down_percent);
    if (name == "down_pods") return take_whole(value, name, 1, most_count, changes.down_pods);
    if (name == "policy_period_s") return take_whole(value, name, 1, 1800, changes.policy_period_s);
    if (name == "in_flight_guard") return take_flag(value, name, changes.in_flight_guard.emplace());
    if (name == "gpus_per_replica") return take_number(value, name, 0.001, 10'000, changes.gpus_per_replica);
    if (name == "cost_per_gpu_hour") return take_number(value, name, 0, 1e9, changes.cost_per_gpu_hour);
    if (name.starts_with("forecast")) return take_forecast(name, value, changes);
    return unknown(name, "replay settings: set", change_names);
}

result<void> take_changes(dom::element element, changes& changes) {
    dom::object members;
    if (element.get(members) != simdjson::SUCCESS) return wrong("set", "an object");
    for (const auto& [name, value] : members)
        if (result<void> ok = take_change(name, value, changes); !ok) return ok;
    return {};
}

result<void> take(std::string_view name, dom::element value, settings& settings) {
    if (name == "model") {
        result<std::int32_t> read = word_in(value, name, model_names);
        if (!read) return std::move(read).failure();
        settings.model = static_cast<model>(*read);
        return {};
    }
    if (name == "exporter_ms" || name == "scrape_ms") {
        if (!settings.lag) settings.lag = settings.model == model::closed ? closed_loop_hops : hops{};
        return take_whole(value, name, 0, day_ms,
                          name == "scrape_ms" ? settings.lag->scrape_ms : settings.lag->exporter_ms);
    }
    constexpr double any_time = static_cast<double>(latest_ms);
    if (name == "signal") return take_signal(value, settings);
    if (name == "saturation") {
        result<double> level = number_in(value, name, 1e-9, 1e15);
        if (!level) return std::move(level).failure();
        settings.saturation = *level;
        return {};
    }
    if (name == "startup_ms") return take_startups(value, settings);
    if (name == "seed") return take_whole(value, name, 0, 9e15, settings.seed);
    if (name == "hold_ms") return take_whole(value, name, 0, day_ms, settings.hold_ms);
    if (name == "from_ms") return take_whole(value, name, 0, any_time, settings.from_ms);
    if (name == "to_ms") return take_whole(value, name, 0, any_time, settings.to_ms);
    if (name == "initial_replicas") return take_whole(value, name, 0, most_count, settings.initial_replicas);
    if (name == "recorded_replicas") return take_whole(value, name, 0, most_count, settings.recorded_replicas);
    if (name == "above") return take_levels(value, settings);
    if (name == "flap_window_ms") return take_whole(value, name, 0, day_ms, settings.flap_window_ms);
    if (name == "events") return take_whole(value, name, 0, 100'000, settings.events);
    if (name == "chart_points") return take_whole(value, name, 0, 100'000, settings.chart_points);
    if (name == "verify") return take_flag(value, name, settings.verify);
    if (name == "set") return take_changes(value, settings.change);
    return unknown(name, "replay settings", member_names);
}

}  // namespace

const char* model_name(model model) noexcept { return model_names[static_cast<std::size_t>(model)]; }
const char* signal_name(signal signal) noexcept { return signal_names[static_cast<std::size_t>(signal)]; }

result<settings> read_settings(std::string_view json) {
    settings out;
    if (trim(json).empty()) return out;
    if (json.size() > most_settings_bytes) return fail(status::limit, "replay settings: more than 1 MiB");
    dom::parser parser;
    dom::object members;
    if (parse_json(parser, json, members) != simdjson::SUCCESS)
        return fail_at(status::invalid, "replay settings", "expected a JSON object, got " + in_quotes(json, 60));
    dom::element model;  // first: the lags' defaults follow from it
    if (members["model"].get(model) == simdjson::SUCCESS)
        if (result<void> ok = take("model", model, out); !ok) return std::move(ok).failure();
    for (const auto& [name, value] : members)
        if (result<void> ok = take(name, value, out); !ok) return std::move(ok).failure();
    return out;
}

}  // namespace gputide::replay
