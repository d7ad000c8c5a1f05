// The tables of gputide.io/ settings; applies them to annotations and metadata.
#include "manifest/own/settings.hpp"

#include "base/format_text.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "manifest/versions.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gputide::manifest {

namespace {

// Sets seconds from a duration; a fraction of a second is rejected.
template <std::int32_t controller_flags::*Member>
bool fill_seconds(own_rules& rules, const setting_value& value) {
    rules.controller.*Member = static_cast<std::int32_t>(value.whole / 1000);
    return value.whole % 1000 == 0;
}

bool read_profile(std::string_view text, own_rules& rules) {
    rules.extra.profile = text == "strict" ? profile::strict : profile::standard;
    return text == "standard" || text == "default" || text == "strict";
}

template <original Which>
bool fill_version(own_rules& rules, const setting_value& value) {
    const std::optional<std::int32_t> minor = read_version(Which, value.text);
    if (minor) rules.controller.versions.*version_member(Which) = *minor;
    return minor.has_value();
}

bool read_metrics_from(std::string_view text, own_rules& rules) {
    rules.metrics_from_cluster = text == "kubernetes";
    rules.metrics_from_host = text == "host";
    return rules.metrics_from_cluster || rules.metrics_from_host;
}

bool read_reduce(std::string_view text, trigger_rules& rules) {
    constexpr std::array<std::string_view, 5> names{"avg", "max", "min", "sum", "count"};
    const bool is_known = std::ranges::find(names, text) != names.end();
    const bool is_percentile = text.starts_with('p') && parse_value(a_whole(0, 100), text.substr(1));
    rules.reduce = text;
    return is_known || is_percentile;
}

// Parses "2/3": 2 of the last 3 proposals.
bool read_confirm(std::string_view text, own_rules& rules) {
    constexpr value_rule a_proposal_count = a_whole(1, 64);
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const std::optional<setting_value> k = parse_value(a_proposal_count, text.substr(0, slash));
    const std::optional<setting_value> n = parse_value(a_proposal_count, text.substr(slash + 1));
    if (!k || !n || k->whole > n->whole) return false;
    put(rules.extra.confirm_k, *k);
    put(rules.extra.confirm_n, *n);
    return true;
}

bool read_forecast_budget(std::string_view text, own_rules& rules) {
    constexpr value_rule a_budget = a_number(forecast_rules::min_budget_percent, forecast_rules::max_budget_percent);
    const std::optional<setting_value> percent = parse_value(a_budget, text);
    rules.extra.forecast.budget_percent.reset();
    if (percent) put(rules.extra.forecast.budget_percent, *percent);
    return percent || text == "none";
}

bool read_forecast_metric(std::string_view text, own_rules& rules) {
    rules.extra.forecast.metric = text;
    return !text.empty();
}

template <auto Member>
constexpr auto extra = fill_member<own_rules, &own_rules::extra, Member>;
template <auto Member>
constexpr auto controller = fill_member<own_rules, &own_rules::controller, Member>;
template <auto Member>
constexpr auto forecast = fill_member<own_rules, &own_rules::extra, &extra_rules::forecast, Member>;
template <auto Member>
constexpr auto trigger_rule = fill_member<trigger_rules, Member>;

constexpr double any_ms = 9.2e18;
constexpr value_rule an_amount = a_number(0, std::numeric_limits<double>::max(), "a number from 0 on");
constexpr value_rule a_threshold{.form = value_form::number};
constexpr value_rule a_gpu_count{.form = value_form::milli, .expected = "a quantity above 0, such as 1, 8 or 250m"};
constexpr value_rule some_minutes = a_duration(0, 86'400'000, "a duration in whole seconds up to 24h, such as 5m");

constexpr std::array own{
    own_setting{"profile", a_text("standard, default or strict"), fill_by<own_rules, read_profile>, "standard",
                "strict reproduces KEDA's defects too; standard and default do not"},
    own_setting{"sync-period", a_duration(0, std::numeric_limits<std::int32_t>::max(), "a duration such as 15s"),
                extra<&extra_rules::sync_period_ms>, "15s", "how often the HPA half decides"},
    own_setting{"hpa-version", a_kubernetes_version, fill_version<original::kubernetes>, "1.37",
                "follow the HPA rules of this release if releases differ"},
    own_setting{"keda-version", a_text("2.20 or 2.21"), fill_version<original::keda>, "2.21",
                "follow the KEDA rules of this release if releases differ"},
    own_setting{"tolerance", an_amount, controller<&controller_flags::tolerance>, "0.1",
                "the controller's flag --horizontal-pod-autoscaler-tolerance; behavior's tolerance wins"},
    own_setting{"downscale-stabilization", some_minutes, fill_seconds<&controller_flags::downscale_window_s>, "5m",
                "the controller's flag --horizontal-pod-autoscaler-downscale-stabilization; behavior's window wins"},
    own_setting{"cpu-initialization-period", some_minutes, fill_seconds<&controller_flags::cpu_initialization_s>, "5m",
                "the controller's flag --horizontal-pod-autoscaler-cpu-initialization-period"},
    own_setting{"initial-readiness-delay", some_minutes, fill_seconds<&controller_flags::initial_readiness_s>, "30s",
                "the controller's flag --horizontal-pod-autoscaler-initial-readiness-delay"},
    own_setting{"hpa-scale-to-zero", a_flag, controller<&controller_flags::scale_to_zero>,
                "true from hpa-version 1.37 on",
                "the gate HPAScaleToZero: minReplicas 0 is accepted in a HorizontalPodAutoscaler"},
    own_setting{"metrics-from", a_text("host or kubernetes"), fill_by<own_rules, read_metrics_from>, "host",
                "the source of metrics for which the manifest names none: cpu and memory, and all metrics of a "
                "HorizontalPodAutoscaler"},
    own_setting{"in-flight-guard", a_flag, extra<&extra_rules::in_flight_guard>, "false",
                "does not scale up again until the last added replicas are ready"},
    own_setting{"refresh-on-partial-error", a_flag, extra<&extra_rules::refresh_on_partial_error>, "false",
                "an active trigger prevents the cooldown even if another trigger fails"},
    own_setting{"gradual-scale-to-zero", a_flag, extra<&extra_rules::gradual_scale_to_zero>, "false",
                "scales down to the HPA's minimum by the HPA's rules before the step to zero"},
    own_setting{"confirm", a_text("k/n such as 2/3, n at most 64"), fill_by<own_rules, read_confirm>, "off",
                "acts only if k of the last n proposals agree"},
    own_setting{"group-size", a_whole(1, limits::max_replicas, "a whole number from 1 on"),
                extra<&extra_rules::group_size>, "1", "replicas change by whole groups of this size"},
    own_setting{"gpus-per-replica", a_gpu_count, extra<&extra_rules::gpus_per_replica_milli>, "1",
                "for the GPU and cost budgets"},
    own_setting{"max-gpus", a_gpu_count, extra<&extra_rules::max_gpus_milli>, "no budget",
                "replicas stay within this many GPUs"},
    own_setting{"cost-per-gpu-hour", an_amount, extra<&extra_rules::cost_per_gpu_hour>, "0",
                "price of one GPU for an hour"},
    own_setting{"max-cost-per-hour", an_amount, extra<&extra_rules::max_cost_per_hour>, "no budget",
                "replicas stay within this price"},
    own_setting{"forecast", a_choice(forecast_mode_names), forecast<&forecast_rules::mode>, "off",
                "scales ahead by the start-up time. observe learns, scores and reports, and changes nothing"},
    own_setting{"forecast-lead",
                a_long_duration(forecast_rules::min_lead_ms, forecast_rules::max_lead_ms,
                                "a duration from 1m to 1h, such as 5m"),
                forecast<&forecast_rules::lead_ms>, "5m", "the start-up time; an estimate is enough"},
    own_setting{"forecast-budget", a_text("a number from 0.1 to 100, or none"),
                fill_by<own_rules, read_forecast_budget>, "5",
                "percent of extra replica-hours that the forecast may cost, over about a week"},
    own_setting{"forecast-quantile",
                a_number(forecast_rules::min_quantile_percent, forecast_rules::max_quantile_percent),
                forecast<&forecast_rules::quantile_percent>, "90",
                "how often, in percent, the upper edge of the band should hold"},
    own_setting{"forecast-max-raise",
                a_number(forecast_rules::max_raise_percent_min, forecast_rules::max_raise_percent_max),
                forecast<&forecast_rules::max_raise_percent>, "200",
                "the forecast raises by at most this many percent: 200 to three times the size"},
    own_setting{"forecast-warmup",
                a_long_duration(forecast_rules::min_warmup_ms, forecast_rules::max_warmup_ms,
                                "a duration from 1h to 14d, such as 1d"),
                forecast<&forecast_rules::warmup_ms>, "1d", "how long the forecast is scored before its first use"},
    own_setting{"forecast-history",
                a_long_duration(0, forecast_rules::max_history_ms, "a duration from 0 to 28d, such as 14d"),
                forecast<&forecast_rules::history_ms>, "0",
                "how much of the metric's past the forecast reads at the start, instead of a warm-up"},
    own_setting{"forecast-metric", a_text("the name of a trigger or metric"), fill_by<own_rules, read_forecast_metric>,
                "the first with a target", "which metric is forecast; the other metrics stay reactive"},
};

constexpr std::array of_triggers{
    own_trigger_setting{"no-data", a_choice(no_data_names), trigger_rule<&trigger_rules::no_data>, "as-original",
                        "meaning of a metric without a value"},
    own_trigger_setting{"max-sample-age", a_duration(0, any_ms, "a duration such as 2m"),
                        trigger_rule<&trigger_rules::max_age_ms>, "0s", "older values count as no data; 0s: no limit"},
    own_trigger_setting{"reduce", a_text("avg, max, min, sum, count or a percentile such as p95"),
                        fill_by<trigger_rules, read_reduce>, "none",
                        "reduces several series to one value; without it several series are an error"},
    own_trigger_setting{"accept-partial", a_flag, trigger_rule<&trigger_rules::accept_partial>, "false",
                        "accepts a response that the server marks as incomplete"},
    own_trigger_setting{"last-non-null", a_flag, trigger_rule<&trigger_rules::last_non_null>, "false",
                        "skips null points at the end of a series"},
    own_trigger_setting{"pairs-hold-equals", a_flag, trigger_rule<&trigger_rules::pairs_hold_equals>, "false",
                        "splits k=v pairs (customHeaders and the like) at their first = sign"},
    own_trigger_setting{"scale-up-above", a_threshold, trigger_rule<&trigger_rules::scale_up_above>, "the target",
                        "scales up only above this value"},
    own_trigger_setting{"scale-down-below", a_threshold, trigger_rule<&trigger_rules::scale_down_below>, "the target",
                        "scales down only below this value"},
};

}  // namespace

std::span<const own_setting> own_settings() { return own; }
std::span<const own_trigger_setting> own_trigger_settings() { return of_triggers; }

namespace {

// Applies a key; returns false if the table does not have it.
template <class Settings>
bool apply(std::span<const setting<Settings>> table, std::string_view key, std::string_view text, const place& place,
           Settings& settings, report& findings) {
    const auto has_key = [&](const setting<Settings>& row) { return row.name == key.substr(own_prefix.size()); };
    const auto row = std::ranges::find_if(table, has_key);
    if (row == table.end()) return false;
    const std::optional<setting_value> value = parse_value(row->rule, trim(text));
    if (value && row->fill(settings, *value)) return true;
    const std::string expected = expected_text(row->rule);
    findings.add(severity::error, "invalid-value", place,
                 format_text("{}: expected {}, got {}", key, expected, in_quotes(text)), "write " + expected);
    return true;
}

void refuse_unknown(std::string_view key, const place& place, bool in_trigger, const known_kinds& kinds,
                    report& findings) {
    if (findings.full(severity::error)) return;  // avoids the search for the nearest name
    const std::string_view name = key.substr(own_prefix.size());
    std::vector<std::string_view> names;
    for (const own_trigger_setting& setting : own_trigger_settings()) names.push_back(setting.name);
    bool is_of_manifest = false;
    for (const own_setting& setting : own_settings()) {
        is_of_manifest = is_of_manifest || setting.name == name;
        if (!in_trigger) names.push_back(setting.name);
    }
    for (const trigger_kind& kind : kinds.triggers) {
        for (const field& row : kind.keys) {
            for (const std::string_view other : row.names) {
                if (std::string_view(other).starts_with(own_prefix)) names.push_back(other.substr(own_prefix.size()));
            }
        }
    }
    const std::string_view meant = nearest(name, names);
    std::string remedy = "remove it, or use one of the documented settings";
    if (!meant.empty()) remedy = format_text("did you mean {}{}?", own_prefix, meant);
    if (is_of_manifest) remedy = "write it as an annotation of the manifest";
    if (kinds.has_key(key)) remedy = "write it in the metadata of the trigger that it is for";
    findings.add(severity::error, "unknown-setting", place,
                 format_text("{} is not a setting{}", in_quotes(key), in_trigger ? " of a trigger" : ""), remedy);
}

// Checks that no value scales up and down at once: between the two thresholds the size must not change.
void check_thresholds(const trigger_rules& rules, const place& place, report& findings) {
    if (!rules.scale_up_above || !rules.scale_down_below || *rules.scale_down_below <= *rules.scale_up_above) return;
    findings.add(severity::error, "invalid-value", place,
                 format_text("gputide.io/scale-down-below {} is greater than gputide.io/scale-up-above {}",
                             shortest(*rules.scale_down_below), shortest(*rules.scale_up_above)),
                 "write scale-down-below: with at most the value of scale-up-above");
}

}  // namespace

void read_own_annotations(const texts& annotations, const text_places& places, const known_kinds& kinds,
                          own_rules& rules, report& findings) {
    for (const auto& [key, value] : annotations) {
        if (!std::string_view(key).starts_with(own_prefix) || std::string_view(key).starts_with(source_prefix))
            continue;
        if (key == owner_annotation || key == handover_annotation) continue;
        const place& at = places.at(key);
        if (apply(own_trigger_settings(), key, value, at, rules.trigger, findings)) continue;
        if (!apply(own_settings(), key, value, at, rules, findings)) refuse_unknown(key, at, false, kinds, findings);
    }
    rules.trigger.versions = rules.controller.versions;
    if (const auto at = places.find("gputide.io/scale-down-below"); at != places.end()) {
        check_thresholds(rules.trigger, at->second, findings);
    }
    const auto budget = places.find("gputide.io/max-cost-per-hour");
    if (budget == places.end() || rules.extra.max_cost_per_hour <= 0.0 || rules.extra.cost_per_gpu_hour > 0.0) return;
    findings.add(severity::error, "invalid-value", budget->second,
                 "gputide.io/max-cost-per-hour has no effect without gputide.io/cost-per-gpu-hour",
                 "add gputide.io/cost-per-gpu-hour with the price of one GPU for an hour");
}

void take_own_metadata(trigger& trigger, const known_kinds& kinds, report& findings) {
    trigger_rules read = trigger.rules;
    for (auto at = trigger.metadata.begin(); at != trigger.metadata.end();) {
        if (!std::string_view(at->first).starts_with(own_prefix) || kinds.has_key(at->first)) {
            ++at;
            continue;
        }
        const place& place = trigger.metadata_places[at->first];
        if (!apply(own_trigger_settings(), at->first, at->second, place, read, findings))
            refuse_unknown(at->first, place, true, kinds, findings);
        trigger.metadata_places.erase(at->first);
        at = trigger.metadata.erase(at);
    }
    const bool has_own_thresholds =
        read.scale_up_above != trigger.rules.scale_up_above || read.scale_down_below != trigger.rules.scale_down_below;
    if (has_own_thresholds) check_thresholds(read, trigger.at, findings);
    trigger.rules = std::move(read);
}

}  // namespace gputide::manifest
