// The table of trigger types.  A new source is one folder beside this file and one row in this table.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/gpu/amd/amd.hpp"
#ifdef GPUTIDE_CRON
#include "source/cron/cron.hpp"
#endif
#include "source/dcgm/dcgm.hpp"
#include "source/external/external.hpp"
#include "source/gpu/nvml.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/log_analytics/log_analytics.hpp"
#include "source/metrics_api/metrics_api.hpp"
#include "source/prometheus/prometheus.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "source/values/values.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gputide::source {
namespace {

using describe_function = result<description> (*)(trigger_reader&);
using open_function = result<std::shared_ptr<metric_source>> (*)(const description&, const services&);

// The pure part of a row: all that a check of manifests needs.
struct kind {
    manifest::trigger_kind written;  // for the manifest parser
    describe_function describe;
    source::traits traits;
    bool has_more_keys = false;  // keys that the external scaler defines, which cannot be checked here
};

struct row {
    source::kind kind;
    open_function open;
};

// Exists only at compile time.  The two parts are tables of their own (below), so that a program that opens no source does not
// link the code for opening.
constexpr std::array rows = {
    row{{{"prometheus", prometheus::keys.all()},
         &prometheus::describe,
         {.keeps_past = true, .inquiry = inquiry::query}},
        &prometheus::open},
    row{{{"values", values::pushed_keys.all()}, &values::describe_pushed, {.is_pushed = true}}, &values::open},
    row{{{"external", external::keys.all()}, &external::describe, {.takes_pushed = true}, true}, &external::open},
    row{{{"external-push", external::keys.all()}, &external::describe, {.takes_pushed = true, .pushes = true}, true},
        &external::open},
    row{{{.type = "cpu", .keys = values::resource_keys.all(), .is_resource = true, .can_cache = false},
         &values::describe_resource,
         {.is_pushed = true}},
        &values::open},
    row{{{.type = "memory", .keys = values::resource_keys.all(), .is_resource = true, .can_cache = false},
         &values::describe_resource,
         {.is_pushed = true}},
        &values::open},
    row{{{"dcgm", dcgm::keys.all()}, &dcgm::describe, {.inquiry = inquiry::page}}, &dcgm::open},
    row{{{.type = "metrics-api", .keys = metrics_api::keys.all(), .target_key = "targetValue"},
         &metrics_api::describe,
         {}},
        &metrics_api::open},
    row{{{"nvml", nvml::keys.all()},
         &nvml::describe,
         {.alternative_hint =
              "Run this where the GPUs are, or read them over the network: trigger type dcgm or prometheus."}},
        &nvml::open},
    row{{{"amd", amd::keys.all()},
         &amd::describe,
         {.alternative_hint = "Run this where the GPUs are, or read them over the network: trigger type prometheus."}},
        &amd::open},
    row{{{.type = "azure-monitor", .keys = azure_monitor::keys.all(), .target_key = "targetValue"},
         &azure_monitor::describe,
         {.role = {"Monitoring Reader", "the resource of the metric"}}},
        &azure_monitor::open},
    row{{{"azure-log-analytics", log_analytics::keys.all()},
         &log_analytics::describe,
         {.role = {"Log Analytics Reader", "the Log Analytics workspace"}}},
        &log_analytics::open},
    row{{{"kubernetes", kubernetes::keys.all()}, &kubernetes::describe, {.is_granted_by_cluster = true}},
        &kubernetes::open},
#ifdef GPUTIDE_CRON
    row{{{.type = "cron", .keys = cron::keys.all(), .can_cache = false, .is_schedule = true}, &cron::describe, {}},
        &cron::open},
#endif
};

template <class Column, class Part>
constexpr auto column_of(const Part& part) {
    std::array<Column, rows.size()> out{};
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = part(rows[i]);
    return out;
}

constexpr auto kinds = column_of<kind>([](const row& of) { return of.kind; });
constexpr auto openers = column_of<open_function>([](const row& of) { return of.open; });
constexpr auto written_kinds = column_of<manifest::trigger_kind>([](const row& of) { return of.kind.written; });

error unknown_type(const manifest::trigger& trigger) {
    std::string text = format_text("trigger type {} is not known; expected one of", in_quotes(trigger.type));
    const char* separator = " ";
    for (const std::string_view type : known_types()) {
        text.append(separator).append(type);
        separator = ", ";
    }
    const std::vector<std::string_view> types = known_types();
    const std::string_view near = nearest(trigger.type, types);
    if (!near.empty()) text += format_text("; did you mean {}?", in_quotes(near));
    return at_trigger(fail(status::invalid, std::move(text)), trigger);
}

// Returns the key of the target in the metadata, under any of its names; "": not set there.
std::string target_key_of(const manifest::trigger& trigger, const manifest::trigger_kind& kind) {
    for (const text::field& row : kind.keys) {
        if (!row.names.has(kind.target_key)) continue;
        for (const std::string_view name : row.names) {
            if (std::string key(name); trigger.metadata.contains(key)) return key;
        }
    }
    return {};
}

error negative_threshold(const manifest::trigger& trigger, const manifest::trigger_kind& kind, double threshold) {
    const std::string key = target_key_of(trigger, kind);
    std::string text =
        format_text("{}: expected a number above 0, got {}", key.empty() ? "threshold" : key, shortest(threshold));
    const auto at = trigger.metadata_places.find(key);
    if (at == trigger.metadata_places.end()) return at_trigger(fail(status::invalid, std::move(text)), trigger);
    return fail_at(error_class::config, at->second, std::move(text));
}

// Warns of a target of 0 or below: a negative one becomes 0 too in a profile that accepts it, because KEDA's quantity has no
// sign.
void warn_not_positive(const trigger_reader& read, const manifest::trigger_kind& kind, const target& target) {
    const std::string key = target_key_of(read.trigger(), kind);
    if (key.empty() || target.target_milli != 0) return;
    read.warn(key, "target-not-positive",
              format_text("the threshold {} becomes 0, and the HPA rejects a target of 0", shortest(target.threshold)),
              "set a threshold above 0");
}

}  // namespace

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings) {
    for (const kind& kind : kinds) {
        if (kind.written.type != trigger.type) continue;
        trigger_reader read(trigger, rules, profile, kind.written.keys, findings);
        auto out = kind.describe(read);
        if (!kind.has_more_keys) read.warn_unknown_keys();
        if (!out) return out;
        if (profile == manifest::profile::standard && out->target.threshold < 0.0)
            return negative_threshold(trigger, kind.written, out->target.threshold);
        warn_not_positive(read, kind.written, out->target);
        out->type = kind.written.type;
        out->label = trigger.label();
        out->traits = &kind.traits;
        out->settings = read.values();
        return out;
    }
    return unknown_type(trigger);
}

result<std::shared_ptr<metric_source>> open(const description& described, const services& services) {
    if (described.lacking.status != status::ok) return described.lacking;
    const auto at = std::ranges::find_if(kinds, [&](const kind& kind) { return kind.written.type == described.type; });
    auto opened = openers[static_cast<std::size_t>(at - kinds.begin())](described, services);
    if (opened) return opened;
    error why = opened.take_failure();
    if (why.where.empty()) why.where = named(described.label);
    if (why.error_class == error_class::none) why.error_class = error_class::config;
    return why;
}

std::span<const manifest::trigger_kind> trigger_kinds() { return written_kinds; }

std::vector<std::string_view> known_types() {
    std::vector<std::string_view> out;
    out.reserve(kinds.size());
    for (const kind& kind : kinds) out.push_back(kind.written.type);
    return out;
}

std::span<const text::field> keys_of(std::string_view type) {
    for (const kind& kind : kinds) {
        if (kind.written.type == type) return kind.written.keys;
    }
    return {};
}

}  // namespace gputide::source
