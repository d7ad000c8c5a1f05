// The table of gputide.io/ settings, and the two places where they are read.
#include "config/own_settings.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace gputide::config {
namespace {

bool read_flag(std::string_view value, bool& flag) {
    const std::optional<bool> read = parse_go_bool(value);
    if (read) flag = *read;
    return read.has_value();
}

// A finite number of at least `least`.
std::optional<double> read_number(std::string_view value, double least) {
    const std::optional<double> read = parse_json_number(value);
    if (!read || !std::isfinite(*read) || *read < least) return std::nullopt;
    return read;
}

bool read_amount(std::string_view value, double& amount) {
    const std::optional<double> read = read_number(value, 0.0);
    if (read) amount = *read;
    return read.has_value();
}

bool read_threshold(std::string_view value, std::optional<double>& threshold) {
    threshold = read_number(value, -std::numeric_limits<double>::max());
    return threshold.has_value();
}

bool read_duration(std::string_view value, std::int64_t most_ms, std::int64_t& read_ms) {
    const std::optional<std::int64_t> ms = parse_go_duration_ms(value);
    if (!ms || *ms < 0 || *ms > most_ms) return false;
    read_ms = *ms;
    return true;
}

bool read_gpus(std::string_view value, std::int64_t& to_milli) {
    const result<quantity> read = parse_quantity(value);
    if (!read || read->milli <= 0 || read->milli_overflow) return false;
    to_milli = read->milli;
    return true;
}

bool read_count(std::string_view value, std::int64_t least, std::int32_t& count) {
    const std::optional<std::int64_t> read = parse_int64(value);
    if (!read || *read < least || *read > limits::max_replicas) return false;
    count = static_cast<std::int32_t>(*read);
    return true;
}

bool apply_profile(std::string_view value, own_rules& rules) {
    if (value != "standard" && value != "default" && value != "strict") return false;
    rules.extra.profile = value == "strict" ? profile::strict : profile::standard;
    return true;
}

bool apply_sync_period(std::string_view value, own_rules& rules) {
    std::int64_t ms = 0;
    if (!read_duration(value, std::numeric_limits<std::int32_t>::max(), ms)) return false;
    rules.extra.sync_period_ms = static_cast<std::int32_t>(ms);
    return true;
}

// The controller's windows are whole seconds.
bool read_seconds(std::string_view value, std::int32_t& count) {
    std::int64_t ms = 0;
    constexpr std::int64_t most_ms = 86'400'000;
    if (!read_duration(value, most_ms, ms) || ms % 1000 != 0) return false;
    count = static_cast<std::int32_t>(ms / 1000);
    return true;
}

bool apply_hpa_version(std::string_view value, own_rules& rules) {
    const std::size_t point = value.find('.');
    if (point == std::string_view::npos || value.substr(0, point) != "1") return false;
    std::int32_t minor = 0;
    if (!read_count(value.substr(point + 1), 18, minor)) return false;
    rules.extra.hpa_version = value;
    return true;
}

bool apply_metrics_from(std::string_view value, own_rules& rules) {
    rules.metrics_from_cluster = value == "kubernetes";
    rules.metrics_from_host = value == "host";
    return rules.metrics_from_cluster || rules.metrics_from_host;
}

bool apply_no_data(std::string_view value, own_rules& rules) {
    static constexpr std::array<std::string_view, 5> words{"as-original", "hold", "fallback", "zero", "error"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (value != words[i]) continue;
        rules.trigger.no_data = static_cast<no_data_rule>(i);
        return true;
    }
    return false;
}

bool apply_reduce(std::string_view value, own_rules& rules) {
    static constexpr std::array<std::string_view, 5> words{"avg", "max", "min", "sum", "count"};
    bool known = false;
    for (const std::string_view word : words) known = known || value == word;
    if (!known) {  // pNN, a percentile
        std::int32_t percent = 0;
        if (value.substr(0, 1) != "p" || !read_count(value.substr(1), 0, percent) || percent > 100) return false;
    }
    rules.trigger.reduce = value;
    return true;
}

// "2/3": 2 of the last 3 proposals.
bool apply_confirm(std::string_view value, own_rules& rules) {
    constexpr std::int32_t most = 64;
    const std::size_t slash = value.find('/');
    std::int32_t k = 0;
    std::int32_t n = 0;
    if (slash == std::string_view::npos || !read_count(value.substr(0, slash), 1, k) ||
        !read_count(value.substr(slash + 1), 1, n) || k > n || n > most) {
        return false;
    }
    rules.extra.confirm_k = k;
    rules.extra.confirm_n = n;
    return true;
}

// As a Go duration, or whole days: "14d".
bool read_long_duration(std::string_view value, double least_ms, double most_ms, std::int64_t& read_ms) {
    constexpr std::int64_t day_ms = 86'400'000;
    std::optional<std::int64_t> ms;
    if (value.ends_with('d')) {
        const std::optional<std::int64_t> days = parse_int64(value.substr(0, value.size() - 1));
        if (days && *days >= 0 && *days <= 10'000) ms = *days * day_ms;
    } else {
        ms = parse_go_duration_ms(value);
    }
    if (!ms || static_cast<double>(*ms) < least_ms || static_cast<double>(*ms) > most_ms) return false;
    read_ms = *ms;
    return true;
}

bool read_percent(std::string_view value, double least, double most, double& percent) {
    const std::optional<double> read = read_number(value, least);
    if (!read || *read > most) return false;
    percent = *read;
    return true;
}

bool apply_forecast(std::string_view value, own_rules& rules) {
    static constexpr std::array<std::string_view, 3> words{"off", "observe", "act"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (value != words[i]) continue;
        rules.extra.forecast.mode = static_cast<forecast_mode>(i);
        return true;
    }
    return false;
}

bool apply_forecast_budget(std::string_view value, own_rules& rules) {
    rules.extra.forecast.budget_percent.reset();
    if (value == "none") return true;
    using bounds = forecast_rules;
    return read_percent(value, bounds::least_budget_percent, bounds::most_budget_percent,
                        rules.extra.forecast.budget_percent.emplace());
}

constexpr std::int64_t any_ms = std::numeric_limits<std::int64_t>::max();

constexpr std::array settings{
    own_setting{"profile", "standard, default or strict", "standard",
                "strict copies KEDA's defects too; standard and default do not", false, &apply_profile},
    own_setting{"sync-period", "a duration such as 15s", "15s", "how often the HPA half decides", false,
                &apply_sync_period},
    own_setting{"hpa-version", "a Kubernetes version from 1.18 on, such as 1.35", "newest",
                "whose HPA rules hold where they differ", false, &apply_hpa_version},
    own_setting{
        "tolerance", "a number from 0 on", "0.1",
        "the controller's flag --horizontal-pod-autoscaler-tolerance; behavior's tolerance wins", false,
        [](std::string_view value, own_rules& rules) { return read_amount(value, rules.controller.tolerance); }},
    own_setting{"downscale-stabilization", "a duration in whole seconds up to 24h, such as 5m", "5m",
                "the controller's flag --horizontal-pod-autoscaler-downscale-stabilization; behavior's window wins",
                false,
                [](std::string_view value, own_rules& rules) {
                    return read_seconds(value, rules.controller.downscale_window_s);
                }},
    own_setting{"cpu-initialization-period", "a duration in whole seconds up to 24h, such as 5m", "5m",
                "the controller's flag --horizontal-pod-autoscaler-cpu-initialization-period", false,
                [](std::string_view value, own_rules& rules) {
                    return read_seconds(value, rules.controller.cpu_initialization_s);
                }},
    own_setting{"initial-readiness-delay", "a duration in whole seconds up to 24h, such as 30s", "30s",
                "the controller's flag --horizontal-pod-autoscaler-initial-readiness-delay", false,
                [](std::string_view value, own_rules& rules) {
                    return read_seconds(value, rules.controller.initial_readiness_s);
                }},
    own_setting{
        "hpa-scale-to-zero", "true or false", "false",
        "the gate HPAScaleToZero: minReplicas 0 is accepted in a HorizontalPodAutoscaler", false,
        [](std::string_view value, own_rules& rules) { return read_flag(value, rules.controller.scale_to_zero); }},
    own_setting{
        "metrics-from", "host or kubernetes", "host",
        "where metrics are read that no source is named for: cpu and memory, and all of a HorizontalPodAutoscaler's",
        false, &apply_metrics_from},
    own_setting{"no-data", "as-original, hold, fallback, zero or error", "as-original",
                "what a metric without a value means", true, &apply_no_data},
    own_setting{"max-sample-age", "a duration such as 2m", "0s", "older values count as no data; 0s: no limit", true,
                [](std::string_view value, own_rules& rules) {
                    return read_duration(value, any_ms, rules.trigger.max_age_ms);
                }},
    own_setting{"reduce", "avg, max, min, sum, count or a percentile such as p95", "none",
                "makes one value of several series; without it several series are an error", true, &apply_reduce},
    own_setting{
        "accept-partial", "true or false", "false", "takes an answer that its peer marks as incomplete", true,
        [](std::string_view value, own_rules& rules) { return read_flag(value, rules.trigger.accept_partial); }},
    own_setting{"last-non-null", "true or false", "false", "skips null points at the end of a series", true,
                [](std::string_view value, own_rules& rules) { return read_flag(value, rules.trigger.last_non_null); }},
    own_setting{
        "pairs-hold-equals", "true or false", "false",
        "splits k=v pairs (customHeaders and the like) at their first = sign", true,
        [](std::string_view value, own_rules& rules) { return read_flag(value, rules.trigger.pairs_hold_equals); }},
    own_setting{
        "scale-up-above", "a number", "the target", "grows only above this value", true,
        [](std::string_view value, own_rules& rules) { return read_threshold(value, rules.trigger.scale_up_above); }},
    own_setting{
        "scale-down-below", "a number", "the target", "shrinks only below this value", true,
        [](std::string_view value, own_rules& rules) { return read_threshold(value, rules.trigger.scale_down_below); }},
    own_setting{"in-flight-guard", "true or false", "false", "does not grow again while the last growth is not ready",
                false,
                [](std::string_view value, own_rules& rules) { return read_flag(value, rules.extra.in_flight_guard); }},
    own_setting{"refresh-on-partial-error", "true or false", "false",
                "an active trigger keeps the cooldown away though another one fails", false,
                [](std::string_view value, own_rules& rules) {
                    return read_flag(value, rules.extra.refresh_on_partial_error);
                }},
    own_setting{
        "gradual-scale-to-zero", "true or false", "false",
        "shrinks to the HPA's minimum by its rules before the step to zero", false,
        [](std::string_view value, own_rules& rules) { return read_flag(value, rules.extra.gradual_scale_to_zero); }},
    own_setting{"confirm", "k/n such as 2/3, n at most 64", "off", "acts when k of the last n proposals agree", false,
                &apply_confirm},
    own_setting{"group-size", "a whole number from 1 on", "1", "replicas move by whole groups of this size", false,
                [](std::string_view value, own_rules& rules) { return read_count(value, 1, rules.extra.group_size); }},
    own_setting{
        "gpus-per-replica", "a quantity above 0, such as 1, 8 or 250m", "1", "for the GPU and cost budgets", false,
        [](std::string_view value, own_rules& rules) { return read_gpus(value, rules.extra.gpus_per_replica_milli); }},
    own_setting{"max-gpus", "a quantity above 0", "no budget", "replicas stay within this many GPUs", false,
                [](std::string_view value, own_rules& rules) { return read_gpus(value, rules.extra.max_gpus_milli); }},
    own_setting{
        "cost-per-gpu-hour", "a number from 0 on", "0", "price of one GPU for an hour", false,
        [](std::string_view value, own_rules& rules) { return read_amount(value, rules.extra.cost_per_gpu_hour); }},
    own_setting{
        "max-cost-per-hour", "a number from 0 on", "no budget", "replicas stay within this price", false,
        [](std::string_view value, own_rules& rules) { return read_amount(value, rules.extra.max_cost_per_hour); }},
    own_setting{"forecast", "off, observe or act", "off",
                "scales ahead by the start-up time; observe learns, scores and reports, and changes nothing", false,
                &apply_forecast},
    own_setting{"forecast-lead", "a duration from 1m to 1h, such as 5m", "5m",
                "the start-up time; a rough number will do", false,
                [](std::string_view value, own_rules& rules) {
                    return read_long_duration(value, forecast_rules::least_lead_ms, forecast_rules::most_lead_ms,
                                              rules.extra.forecast.lead_ms);
                }},
    own_setting{"forecast-budget", "a number from 0.1 to 100, or none", "5",
                "percent of extra replica-hours that the forecast may cost, over about a week", false,
                &apply_forecast_budget},
    own_setting{"forecast-quantile", "a number from 50 to 99", "90",
                "how often, in percent, the upper edge of the band should hold", false,
                [](std::string_view value, own_rules& rules) {
                    return read_percent(value, forecast_rules::least_quantile_percent,
                                        forecast_rules::most_quantile_percent, rules.extra.forecast.quantile_percent);
                }},
    own_setting{"forecast-max-raise", "a number from 10 to 900", "200",
                "the forecast raises by at most this many percent: 200 to three times the size", false,
                [](std::string_view value, own_rules& rules) {
                    return read_percent(value, forecast_rules::least_raise_percent, forecast_rules::most_raise_percent,
                                        rules.extra.forecast.max_raise_percent);
                }},
    own_setting{"forecast-warmup", "a duration from 1h to 14d, such as 1d", "1d",
                "how long the forecast is scored before its first use", false,
                [](std::string_view value, own_rules& rules) {
                    return read_long_duration(value, forecast_rules::least_warmup_ms, forecast_rules::most_warmup_ms,
                                              rules.extra.forecast.warmup_ms);
                }},
    own_setting{"forecast-history", "a duration from 0 to 28d, such as 14d", "0",
                "how much of the metric's past the forecast reads when it starts, so that it need not warm up", false,
                [](std::string_view value, own_rules& rules) {
                    return read_long_duration(value, 0, forecast_rules::most_history_ms,
                                              rules.extra.forecast.history_ms);
                }},
    own_setting{"forecast-metric", "the name of a trigger or metric", "the first with a target",
                "which metric is forecast; the others stay reactive", false,
                [](std::string_view value, own_rules& rules) {
                    rules.extra.forecast.metric = value;
                    return !value.empty();
                }},
};

// One gputide.io/ key: applied, or an error with the nearest name.
void apply(const std::string& key, const std::string& value, const place& place, bool in_trigger,
           const known_kinds& kinds, own_rules& rules, report& findings) {
    if (findings.full(severity::error)) return;  // spares the search for the nearest name
    const std::string_view name = std::string_view(key).substr(own_prefix.size());
    std::vector<std::string_view> names;
    for (const own_setting& setting : settings) {
        if (in_trigger && !setting.of_trigger) continue;
        names.push_back(setting.name);
        if (setting.name != name) continue;
        if (setting.apply(trim(value), rules)) return;
        findings.add(severity::error, "invalid-value", place,
                     format_text("{}: expected {}, got {}", key, setting.syntax, in_quotes(value)),
                     "write " + std::string(setting.syntax));
        return;
    }
    for (const trigger_kind& kind : kinds.triggers) {
        for (const field& one : kind.keys) {
            for (const std::string_view other : one.names) {
                if (other.substr(0, own_prefix.size()) == own_prefix) names.push_back(other.substr(own_prefix.size()));
            }
        }
    }
    const std::string_view meant = nearest(name, names);
    std::string remedy = "remove it, or use one of the documented settings";
    if (!meant.empty()) remedy = format_text("did you mean {}{}?", own_prefix, meant);
    for (const own_setting& setting : settings) {
        if (in_trigger && setting.name == name) remedy = "write it as an annotation of the manifest";
    }
    if (kinds.has_key(key)) remedy = "write it in the metadata of the trigger that it is for";
    findings.add(severity::error, "unknown-setting", place,
                 format_text("{} is no setting{}", in_quotes(key), in_trigger ? " of a trigger" : ""),
                 std::move(remedy));
}

// Between the two thresholds nothing moves; the other way round both directions would be asked for at once.
void check_thresholds(const trigger_rules& rules, const place& place, report& findings) {
    if (!rules.scale_up_above || !rules.scale_down_below || *rules.scale_down_below <= *rules.scale_up_above) return;
    findings.add(severity::error, "invalid-value", place,
                 format_text("gputide.io/scale-down-below {} is greater than gputide.io/scale-up-above {}",
                             shortest(*rules.scale_down_below), shortest(*rules.scale_up_above)),
                 "write scale-down-below: with at most the value of scale-up-above");
}

}  // namespace

std::span<const own_setting> own_settings() { return settings; }

void read_own_annotations(const texts& annotations, const text_places& places, const known_kinds& kinds,
                          own_rules& rules, report& findings) {
    for (const auto& [key, value] : annotations) {
        if (key.compare(0, own_prefix.size(), own_prefix) != 0) continue;
        if (key.compare(0, source_prefix.size(), source_prefix) == 0) continue;
        apply(key, value, places.at(key), false, kinds, rules, findings);
    }
    if (const auto at = places.find("gputide.io/scale-down-below"); at != places.end()) {
        check_thresholds(rules.trigger, at->second, findings);
    }
    const auto budget = places.find("gputide.io/max-cost-per-hour");
    if (budget == places.end() || rules.extra.max_cost_per_hour <= 0.0 || rules.extra.cost_per_gpu_hour > 0.0) return;
    findings.add(severity::error, "invalid-value", budget->second,
                 "gputide.io/max-cost-per-hour bounds nothing without a price",
                 "add gputide.io/cost-per-gpu-hour: with the price of one GPU for an hour");
}

void take_own_metadata(trigger& trigger, const known_kinds& kinds, report& findings) {
    trigger_rules& rules = trigger.rules;
    own_rules read;
    read.trigger = rules;
    for (auto at = trigger.metadata.begin(); at != trigger.metadata.end();) {
        if (at->first.compare(0, own_prefix.size(), own_prefix) != 0 || kinds.has_key(at->first)) {
            ++at;
            continue;
        }
        apply(at->first, at->second, trigger.metadata_places[at->first], true, kinds, read, findings);
        trigger.metadata_places.erase(at->first);
        at = trigger.metadata.erase(at);
    }
    const bool own =
        read.trigger.scale_up_above != rules.scale_up_above || read.trigger.scale_down_below != rules.scale_down_below;
    if (own) check_thresholds(read.trigger, trigger.at, findings);
    rules = std::move(read.trigger);
}

}  // namespace gputide::config
