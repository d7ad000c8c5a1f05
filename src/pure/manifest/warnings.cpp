// Findings about a valid manifest: a forecast without effect, missing requests, objects that KEDA does not scale.
#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "manifest/keda_operator.hpp"
#include "manifest/scalers.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace gputide::manifest {

namespace {

// Returns the target type of the forecast metric: the named one, else the first.
target_type forecast_target(const spec& spec) {
    const std::string& name = spec.scaling.extra.forecast.metric;
    for (const trigger& entry : spec.triggers) {
        if (name.empty() || entry.name == name) return entry.metric_type;
    }
    for (const hpa_metric& metric : spec.metrics) {
        if (name.empty() || metric.name == name) return metric.type;
    }
    return target_type::average_value;
}

const trigger* schedule_in(const spec& spec, const known_kinds& kinds) {
    for (const trigger& entry : spec.triggers) {
        const trigger_kind* kind = kinds.trigger(entry.type);
        if (kind != nullptr && kind->is_schedule) return &entry;
    }
    return nullptr;
}

// Warns of forecast settings without gputide.io/forecast: they have no effect alone.
void warn_of_no_forecast(const text_places& places, report& findings) {
    constexpr std::string_view prefix = "gputide.io/forecast-";
    const auto first = places.lower_bound(std::string(prefix));
    if (first == places.end() || first->first.compare(0, prefix.size(), prefix) != 0) return;
    findings.add(severity::warning, "forecast-off", first->second,
                 format_text("{} has no effect without gputide.io/forecast", first->first),
                 "add gputide.io/forecast: observe or act, or remove it");
}

}  // namespace

void warn_of_forecast(const object_metadata& metadata, const spec& spec, const known_kinds& kinds, report& findings) {
    const text_places& places = metadata.annotation_places;
    const auto written = places.find("gputide.io/forecast");
    if (written == places.end()) return warn_of_no_forecast(places, findings);
    const scaling& scaled = spec.scaling;
    if (scaled.extra.forecast.mode == forecast_mode::off) return;
    const auto warn_at = [&](const char* key, const char* code, std::string_view message, std::string_view remedy) {
        const auto own = places.find(key);
        findings.add(severity::warning, code, (own == places.end() ? written : own)->second, message, remedy);
    };
    const auto warn = [&](const char* code, std::string_view message, std::string_view remedy) {
        warn_at("gputide.io/forecast", code, message, remedy);
    };
    if (scaled.hpa_min() >= scaled.max) {
        warn("forecast-without-room",
             format_text("the forecast cannot raise anything: minimum and maximum are {}", scaled.max),
             "raise the maximum, or remove gputide.io/forecast");
    }
    const std::int64_t min_ms = std::int64_t{2} * scaled.extra.sync_period_ms;
    if (scaled.extra.forecast.lead_ms < min_ms) {
        warn_at("gputide.io/forecast-lead", "forecast-lead",
                format_text("gputide.io/forecast-lead is {}, below two sync periods ({}): it scales up hardly earlier",
                            format_duration_ms(scaled.extra.forecast.lead_ms), format_duration_ms(min_ms)),
                "give the time that a replica takes to start, or shorten gputide.io/sync-period");
    }
    if (forecast_target(spec) == target_type::utilization) {
        warn_at(
            "gputide.io/forecast-metric", "forecast-saturates",
            "the forecast metric is a utilization, which does not show load above 100 %: the forecast will be too low",
            "forecast a queue, concurrency or tokens: gputide.io/forecast-metric");
    }
    const bool is_total = !scaled.modifiers && forecast_target(spec) == target_type::average_value;
    if (scaled.extra.forecast.history_ms > 0 && !is_total) {
        warn_at(
            "gputide.io/forecast-history", "forecast-history",
            "gputide.io/forecast-history is not used: past replica counts are unknown, and without them only a total "
            "(AverageValue without a formula) gives the load",
            "remove it, or forecast a total: gputide.io/forecast-metric");
    }
    if (const trigger* schedule = schedule_in(spec, kinds); schedule != nullptr) {
        warn("forecast-and-schedule",
             format_text(
                 "{} raises the size at fixed times, which changes the load, and the forecast learns the changed load",
                 schedule->label()),
             "keep the schedule only for known events, or remove one of the two");
    }
}

namespace {

const node* member(const node* object, std::string_view key) {
    if (object == nullptr || object->kind != node_kind::mapping) return nullptr;
    const node* found = object->find(key);
    return found == nullptr || is_null(*found) ? nullptr : found;
}

std::span<const node> items(const node* list) {
    if (list == nullptr || list->kind != node_kind::sequence) return {};
    return list->children;
}

std::string text(const node* object, std::string_view key) {
    const node* found = member(object, key);
    return found == nullptr ? std::string() : scalar_text(*found).value_or("");
}

// A text that is not a quantity, such as an unreplaced ${NAME}, may be above zero.
bool is_above_zero(const node* amounts, std::string_view resource) {
    const node* found = member(amounts, resource);
    if (found == nullptr) return false;
    const result<quantity> amount = parse_quantity(scalar_text(*found).value_or(""));
    return !amount || amount->milli > 0;
}

// resources: {requests, limits} of a container or a pod.
bool is_set(const node* resources, std::string_view resource) {
    return is_above_zero(member(resources, "requests"), resource) ||
           is_above_zero(member(resources, "limits"), resource);
}

bool is_default_of(const other_object& range, std::string_view resource) {
    const std::span<const node> limits = items(member(member(range.at.at, "spec"), "limits"));
    return std::ranges::any_of(limits, [&](const node& limit) {
        return text(&limit, "type") == "Container" && (is_above_zero(member(&limit, "defaultRequest"), resource) ||
                                                       is_above_zero(member(&limit, "default"), resource));
    });
}

const node* pod_spec(const scaling& scaled, const collection& documents) {
    for (const other_object& other : documents.others) {
        if (other.api_version != scaled.target_api_version || other.kind != scaled.target_kind) continue;
        if (other.name == scaled.target_name && other.name_space == scaled.name_space)
            return member(member(member(other.at.at, "spec"), "template"), "spec");
    }
    return nullptr;
}

// Returns the first container without the request; "" if all have it.
std::string lacking(const node* pod, const trigger& trigger, const scaling& scaled, const collection& documents) {
    const auto named = trigger.metadata.find("containerName");
    const std::string only = named == trigger.metadata.end() ? "" : named->second;
    const bool pod_counts = holds(version_rule::counts_pod_requests, scaled.controller.versions);
    if (only.empty() && pod_counts && is_set(member(pod, "resources"), trigger.type)) return {};
    const bool has_default = std::ranges::any_of(documents.others, [&](const other_object& entry) {
        return entry.kind == "LimitRange" && entry.name_space == scaled.name_space &&
               is_default_of(entry, trigger.type);
    });
    if (has_default) return {};
    for (const node& container : items(member(pod, "containers"))) {
        std::string name = text(&container, "name");
        if (!only.empty() && name != only) continue;
        if (!is_set(member(&container, "resources"), trigger.type)) return name;
    }
    return {};
}

}  // namespace

void check_requests(const spec& spec, const collection& documents, report& findings) {
    const node* pod = pod_spec(spec.scaling, documents);
    if (pod == nullptr) return;
    for (const trigger& entry : spec.triggers) {
        if (!entry.is_resource) continue;
        const std::string container = lacking(pod, entry, spec.scaling, documents);
        if (container.empty()) continue;
        findings.add(severity::error, "missing-requests", entry.at,
                     format_text("the scaledobject has a {} trigger but the container {} doesn't have the {} request "
                                 "defined",
                                 entry.type, container, entry.type),
                     format_text("add resources.requests.{} to the container of {} {}", entry.type,
                                 spec.scaling.target_kind, spec.scaling.target_name));
    }
}

namespace {

texts labels_of(const manifest& object) {
    texts out;
    const node* const labels = member(member(object.at.at, "metadata"), "labels");
    if (labels == nullptr) return out;
    for (const node& label : labels->children) out[label.key] = scalar_text(label).value_or("");
    return out;
}

}  // namespace

void warn_of_watch_selector(const collection& documents, const environment_lookup& environment, report& findings) {
    const variable written = look_up(environment, watch_selector_variable);
    if (!written.is_allowed || !written.value || written.value->empty()) return;
    const auto selector = read_watch_selector(*written.value);
    for (const std::vector<manifest>* objects : {&documents.scalers, &documents.jobs}) {
        for (const manifest& object : *objects) {
            if (object.kind == document_kind::horizontal_pod_autoscaler) continue;
            if (selector && has_labels(*selector, labels_of(object))) continue;
            findings.add(severity::warning, "not-watched", object.at.place_of("metadata.labels"),
                         selector
                             ? format_text("KEDA does not scale {}: its labels do not match {} {}",
                                           object.identity().text(), watch_selector_variable, in_quotes(*written.value))
                             : "KEDA 2.21 does not start: " + selector.failure().message,
                         selector ? "add the labels, or scale it with gputide"
                                  : "use =, ==, in, notin, a key or !key, joined by commas");
        }
    }
}

}  // namespace gputide::manifest
