// The table of gputide.io/ settings.
#include "config/own/settings.hpp"
#include "config/own/value.hpp"

#include <array>

namespace gputide::config {
namespace {

// The setter of one member of one part of the rules.
template <auto Read, auto Part, auto Member>
bool set(std::string_view value, own_rules& rules) {
    return Read(value, (rules.*Part).*Member);
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

template <original Which, std::int32_t original_versions::*Member>
bool apply_version(std::string_view value, own_rules& rules) {
    const std::optional<std::int32_t> minor = read_version(Which, value);
    if (minor) rules.controller.versions.*Member = *minor;
    return minor.has_value();
}

bool apply_scale_to_zero(std::string_view value, own_rules& rules) {
    return read_flag(value, rules.controller.scale_to_zero.emplace());
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

constexpr std::array settings{
    own_setting{"profile", "standard, default or strict", "standard",
                "strict copies KEDA's defects too; standard and default do not", false, &apply_profile},
    own_setting{"sync-period", "a duration such as 15s", "15s", "how often the HPA half decides", false,
                &apply_sync_period},
    own_setting{"hpa-version", "a Kubernetes version from 1.18 to 1.38", "1.37",
                "the release whose HPA rules hold where releases differ", false,
                &apply_version<original::kubernetes, &original_versions::kubernetes>},
    own_setting{"keda-version", "2.20 or 2.21", "2.21", "the release whose KEDA rules hold where releases differ",
                false, &apply_version<original::keda, &original_versions::keda>},
    own_setting{"tolerance", "a number from 0 on", "0.1",
                "the controller's flag --horizontal-pod-autoscaler-tolerance; behavior's tolerance wins", false,
                &set<read_amount, &own_rules::controller, &controller_flags::tolerance>},
    own_setting{"downscale-stabilization", "a duration in whole seconds up to 24h, such as 5m", "5m",
                "the controller's flag --horizontal-pod-autoscaler-downscale-stabilization; behavior's window wins",
                false, &set<read_seconds, &own_rules::controller, &controller_flags::downscale_window_s>},
    own_setting{"cpu-initialization-period", "a duration in whole seconds up to 24h, such as 5m", "5m",
                "the controller's flag --horizontal-pod-autoscaler-cpu-initialization-period", false,
                &set<read_seconds, &own_rules::controller, &controller_flags::cpu_initialization_s>},
    own_setting{"initial-readiness-delay", "a duration in whole seconds up to 24h, such as 30s", "30s",
                "the controller's flag --horizontal-pod-autoscaler-initial-readiness-delay", false,
                &set<read_seconds, &own_rules::controller, &controller_flags::initial_readiness_s>},
    own_setting{"hpa-scale-to-zero", "true or false", "true from hpa-version 1.37 on",
                "the gate HPAScaleToZero: minReplicas 0 is accepted in a HorizontalPodAutoscaler", false,
                &apply_scale_to_zero},
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
    own_setting{"accept-partial", "true or false", "false", "takes an answer that its peer marks as incomplete", true,
                &set<read_flag, &own_rules::trigger, &trigger_rules::accept_partial>},
    own_setting{"last-non-null", "true or false", "false", "skips null points at the end of a series", true,
                &set<read_flag, &own_rules::trigger, &trigger_rules::last_non_null>},
    own_setting{"pairs-hold-equals", "true or false", "false",
                "splits k=v pairs (customHeaders and the like) at their first = sign", true,
                &set<read_flag, &own_rules::trigger, &trigger_rules::pairs_hold_equals>},
    own_setting{"scale-up-above", "a number", "the target", "grows only above this value", true,
                &set<read_threshold, &own_rules::trigger, &trigger_rules::scale_up_above>},
    own_setting{"scale-down-below", "a number", "the target", "shrinks only below this value", true,
                &set<read_threshold, &own_rules::trigger, &trigger_rules::scale_down_below>},
    own_setting{"in-flight-guard", "true or false", "false", "does not grow again while the last growth is not ready",
                false, &set<read_flag, &own_rules::extra, &extra_rules::in_flight_guard>},
    own_setting{"refresh-on-partial-error", "true or false", "false",
                "an active trigger keeps the cooldown away though another one fails", false,
                &set<read_flag, &own_rules::extra, &extra_rules::refresh_on_partial_error>},
    own_setting{"gradual-scale-to-zero", "true or false", "false",
                "shrinks to the HPA's minimum by its rules before the step to zero", false,
                &set<read_flag, &own_rules::extra, &extra_rules::gradual_scale_to_zero>},
    own_setting{"confirm", "k/n such as 2/3, n at most 64", "off", "acts when k of the last n proposals agree", false,
                &apply_confirm},
    own_setting{"group-size", "a whole number from 1 on", "1", "replicas move by whole groups of this size", false,
                [](std::string_view value, own_rules& rules) { return read_count(value, 1, rules.extra.group_size); }},
    own_setting{"gpus-per-replica", "a quantity above 0, such as 1, 8 or 250m", "1", "for the GPU and cost budgets",
                false, &set<read_gpus, &own_rules::extra, &extra_rules::gpus_per_replica_milli>},
    own_setting{"max-gpus", "a quantity above 0", "no budget", "replicas stay within this many GPUs", false,
                &set<read_gpus, &own_rules::extra, &extra_rules::max_gpus_milli>},
    own_setting{"cost-per-gpu-hour", "a number from 0 on", "0", "price of one GPU for an hour", false,
                &set<read_amount, &own_rules::extra, &extra_rules::cost_per_gpu_hour>},
    own_setting{"max-cost-per-hour", "a number from 0 on", "no budget", "replicas stay within this price", false,
                &set<read_amount, &own_rules::extra, &extra_rules::max_cost_per_hour>},
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

}  // namespace

std::span<const own_setting> own_settings() { return settings; }

}  // namespace gputide::config
