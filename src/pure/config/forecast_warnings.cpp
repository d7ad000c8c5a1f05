#include "config/forecast_warnings.hpp"

#include "base/format_text.hpp"
#include "base/time.hpp"

#include <algorithm>

namespace gputide::config {

namespace {

// The type of the target of what is forecast: what is named, else the first.
target_type forecast_target(const spec& spec) {
    const std::string& name = spec.scaling.extra.forecast.metric;
    for (const trigger& one : spec.triggers) {
        if (name.empty() || one.name == name) return one.metric_type;
    }
    for (const hpa_metric& one : spec.metrics) {
        if (name.empty() || one.name == name) return one.type;
    }
    return target_type::average_value;
}

const trigger* schedule_in(const spec& spec, const known_kinds& kinds) {
    for (const trigger& one : spec.triggers) {
        const trigger_kind* kind = kinds.trigger(one.type);
        if (kind != nullptr && kind->is_schedule) return &one;
    }
    return nullptr;
}

// Its other settings alone do nothing.
void warn_of_no_forecast(const text_places& places, report& findings) {
    constexpr std::string_view prefix = "gputide.io/forecast-";
    const auto first = places.lower_bound(std::string(prefix));
    if (first == places.end() || first->first.compare(0, prefix.size(), prefix) != 0) return;
    findings.add(severity::warning, "forecast-off", first->second,
                 format_text("{} does nothing without gputide.io/forecast, which is off", first->first),
                 "add gputide.io/forecast: observe or act, or remove it");
}

}  // namespace

void warn_of_forecast(const object_metadata& metadata, const spec& spec, const known_kinds& kinds, report& findings) {
    const text_places& places = metadata.annotation_places;
    const auto written = places.find("gputide.io/forecast");
    if (written == places.end()) return warn_of_no_forecast(places, findings);
    const scaling& scaled = spec.scaling;
    if (scaled.extra.forecast.mode == forecast_mode::off) return;
    const auto warn_at = [&](const char* key, const char* code, std::string message, std::string remedy) {
        const auto own = places.find(key);
        findings.add(severity::warning, code, (own == places.end() ? written : own)->second, std::move(message),
                     std::move(remedy));
    };
    const auto warn = [&](const char* code, std::string message, std::string remedy) {
        warn_at("gputide.io/forecast", code, std::move(message), std::move(remedy));
    };
    if (scaled.hpa_min() >= scaled.max) {
        warn("forecast-without-room",
             format_text("the forecast cannot raise anything: minimum and maximum are {}", scaled.max),
             "raise the maximum, or remove gputide.io/forecast");
    }
    const std::int64_t least_ms = std::int64_t{2} * scaled.extra.sync_period_ms;
    if (scaled.extra.forecast.lead_ms < least_ms) {
        warn_at("gputide.io/forecast-lead", "forecast-lead",
                format_text("gputide.io/forecast-lead is {}, below two sync periods ({}): it asks hardly earlier",
                            format_duration_ms(scaled.extra.forecast.lead_ms), format_duration_ms(least_ms)),
                "give the time that a replica takes to start, or shorten gputide.io/sync-period");
    }
    if (forecast_target(spec) == target_type::utilization) {
        warn_at("gputide.io/forecast-metric", "forecast-saturates",
                "a utilization is forecast: above 100 % nobody knows the load, so that the forecast learns the cut",
                "forecast a queue, concurrency or tokens: gputide.io/forecast-metric");
    }
    const bool is_total = !scaled.modifiers && forecast_target(spec) == target_type::average_value;
    if (scaled.extra.forecast.history_ms > 0 && !is_total) {
        warn_at(
            "gputide.io/forecast-history", "forecast-history",
            "gputide.io/forecast-history is not read: the past holds no sizes, so that only a metric that is a total "
            "(AverageValue, and no formula) tells the load",
            "remove it, or forecast a total: gputide.io/forecast-metric");
    }
    if (const trigger* schedule = schedule_in(spec, kinds); schedule != nullptr) {
        warn("forecast-and-schedule",
             format_text(
                 "{} raises the size at known times: the load follows what it starts, and the forecast learns that",
                 schedule->label()),
             "keep the schedule for known events alone, or remove one of the two");
    }
}

}  // namespace gputide::config
