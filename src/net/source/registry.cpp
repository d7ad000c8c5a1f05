// The trigger types that exist.  A new source is a folder beside this file and a line in this table.
#include "base/text.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/azure_monitor/keys.hpp"
#include "source/gpu/amd/amd.hpp"
#include "source/gpu/amd/keys.hpp"
#ifdef GPUTIDE_CRON
#include "source/cron/cron.hpp"
#include "source/cron/keys.hpp"
#endif
#include "source/dcgm/dcgm.hpp"
#include "source/dcgm/keys.hpp"
#include "source/external/external.hpp"
#include "source/external/keys.hpp"
#include "source/gpu/keys.hpp"
#include "source/gpu/nvml.hpp"
#include "source/kubernetes/hpa_metric.hpp"
#include "source/kubernetes/keys.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/log_analytics/keys.hpp"
#include "source/log_analytics/log_analytics.hpp"
#include "source/metrics_api/keys.hpp"
#include "source/metrics_api/metrics_api.hpp"
#include "source/prometheus/keys.hpp"
#include "source/prometheus/prometheus.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "source/values/keys.hpp"
#include "source/values/values.hpp"

#include <array>

namespace gputide::source {
namespace {

using describe_function = result<description> (*)(const config::trigger&, const config::trigger_rules&, config::profile,
                                                  config::report*);

struct kind {
    config::trigger_kind written;  // what the reading of a manifest must know
    describe_function describe;
    source::traits traits;
    bool has_more_keys = false;  // of others' making, which nobody here can check
};

constexpr std::array kinds = {
    kind{
        {"prometheus", prometheus::keys.all()}, &prometheus::describe, {.keeps_past = true, .inquiry = inquiry::query}},
    kind{{"values", values::pushed_keys.all()}, &values::describe_pushed, {.is_pushed = true}},
    kind{{"external", external::keys.all()}, &external::describe, {.takes_pushed = true}, true},
    kind{{"external-push", external::keys.all()}, &external::describe, {.takes_pushed = true, .pushes = true}, true},
    kind{{.type = "cpu", .keys = values::resource_keys.all(), .is_resource = true, .can_cache = false},
         &values::describe_resource,
         {.is_pushed = true}},
    kind{{.type = "memory", .keys = values::resource_keys.all(), .is_resource = true, .can_cache = false},
         &values::describe_resource,
         {.is_pushed = true}},
    kind{{"dcgm", dcgm::keys.all()}, &dcgm::describe, {.inquiry = inquiry::page}},
    kind{{.type = "metrics-api", .keys = metrics_api::keys.all(), .target_key = "targetValue"},
         &metrics_api::describe,
         {}},
    kind{{"nvml", nvml::keys.all()},
         &nvml::describe,
         {.elsewhere = "Run this where the GPUs are, or read them over the network: trigger type dcgm or prometheus."}},
    kind{{"amd", amd::keys.all()},
         &amd::describe,
         {.elsewhere = "Run this where the GPUs are, or read them over the network: trigger type prometheus."}},
    kind{{.type = "azure-monitor", .keys = azure_monitor::keys.all(), .target_key = "targetValue"},
         &azure_monitor::describe,
         {.role = {"Monitoring Reader", "the resource whose metric is read"}}},
    kind{{"azure-log-analytics", log_analytics::keys.all()},
         &log_analytics::describe,
         {.role = {"Log Analytics Reader", "the Log Analytics workspace"}}},
    kind{{"kubernetes", kubernetes::keys.all()}, &kubernetes::describe, {.is_granted_by_cluster = true}},
#ifdef GPUTIDE_CRON
    kind{{.type = "cron", .keys = cron::keys.all(), .can_cache = false, .is_schedule = true}, &cron::describe, {}},
#endif
};

constexpr auto written_kinds = [] {
    std::array<config::trigger_kind, kinds.size()> out;
    for (std::size_t i = 0; i < kinds.size(); ++i) out[i] = kinds[i].written;
    return out;
}();

error unknown_type(const config::trigger& trigger) {
    std::string text = "trigger type " + in_quotes(trigger.type) + " is not known; expected one of";
    const char* separator = " ";
    for (const std::string_view type : known_types()) {
        text.append(separator).append(type);
        separator = ", ";
    }
    const std::vector<std::string_view> types = known_types();
    const std::string_view near = nearest(trigger.type, types);
    if (!near.empty()) text += "; did you mean " + in_quotes(near) + "?";
    return at_trigger(fail(status::invalid, std::move(text)), trigger);
}

// The key that the target is written under, by any of its names; "": none is written in the metadata.
std::string target_key_of(const config::trigger& trigger, const config::trigger_kind& kind) {
    for (const config::field& row : kind.keys) {
        if (!row.names.has(kind.target_key)) continue;
        for (const std::string_view name : row.names) {
            if (std::string key(name); trigger.metadata.contains(key)) return key;
        }
    }
    return {};
}

error negative_threshold(const config::trigger& trigger, const config::trigger_kind& kind, double threshold) {
    const std::string key = target_key_of(trigger, kind);
    std::string text = (key.empty() ? "threshold" : key) + ": expected a number above 0, got " + shortest(threshold);
    const auto at = trigger.metadata_places.find(key);
    if (at == trigger.metadata_places.end()) return at_trigger(fail(status::invalid, std::move(text)), trigger);
    return fail_at(error_class::config, at->second, std::move(text));
}

// One below 0 comes to 0 as well where the profile lets it pass: KEDA's quantity has no sign.
void warn_not_positive(const config::trigger& trigger, const config::trigger_kind& kind, const config::parameters& read,
                       const target& target, config::report* findings) {
    const std::string key = target_key_of(trigger, kind);
    if (findings == nullptr || key.empty() || target.target_milli != 0) return;
    findings->add(config::severity::warning, "target-not-positive", read.place_of(key),
                  trigger.label() + ": the threshold " + shortest(target.threshold) +
                      " comes to 0 and the HPA refuses such a target",
                  "give a threshold above 0");
}

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings) {
    for (const kind& one : kinds) {
        if (one.written.type != trigger.type) continue;
        auto out = one.describe(trigger, rules, profile, findings);
        const config::parameters read(trigger, one.written.keys);
        if (!one.has_more_keys) warn_unknown_keys(trigger, read, findings);
        if (!out) return out;
        if (profile == config::profile::standard && out->target.threshold < 0.0)
            return negative_threshold(trigger, one.written, out->target.threshold);
        warn_not_positive(trigger, one.written, read, out->target, findings);
        out->type = one.written.type;
        out->label = trigger.label();
        out->traits = &one.traits;
        out->settings = read.values();
        return out;
    }
    return unknown_type(trigger);
}

result<description> describe_cluster_metric(const config::spec& spec, std::size_t index,
                                            const config::trigger_rules& rules, config::report* findings) {
    return kubernetes::describe_hpa_metric(spec, index, rules, findings);
}

config::trigger trigger_of_cluster_metric(const config::spec& spec, std::size_t index) {
    return kubernetes::trigger_of(spec, index);
}

description describe_cluster_resource(const config::scaling& scaling, const target& target) {
    return kubernetes::describe_resource(scaling, target);
}

std::span<const config::trigger_kind> trigger_kinds() { return written_kinds; }

std::vector<std::string_view> known_types() {
    std::vector<std::string_view> out;
    out.reserve(kinds.size());
    for (const kind& one : kinds) out.push_back(one.written.type);
    return out;
}

std::span<const config::field> keys_of(std::string_view type) {
    for (const kind& one : kinds) {
        if (one.written.type == type) return one.written.keys;
    }
    return {};
}

}  // namespace gputide::source
