// The trigger types that exist.  A new source is a folder beside this file and a line in this table.
#include "base/text.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/azure_monitor/keys.hpp"
#ifdef GPUTIDE_CRON
#include "source/cron/cron.hpp"
#include "source/cron/keys.hpp"
#endif
#include "source/dcgm/dcgm.hpp"
#include "source/dcgm/keys.hpp"
#include "source/kubernetes/hpa_metric.hpp"
#include "source/kubernetes/keys.hpp"
#include "source/kubernetes/kubernetes.hpp"
#include "source/log_analytics/keys.hpp"
#include "source/log_analytics/log_analytics.hpp"
#include "source/metrics_api/keys.hpp"
#include "source/metrics_api/metrics_api.hpp"
#include "source/nvml/keys.hpp"
#include "source/nvml/nvml.hpp"
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
    std::string_view type;
    describe_function describe;
    std::span<const config::field> keys;
    source::traits traits;
};

constexpr std::array kinds = {
    kind{"prometheus", &prometheus::describe, prometheus::keys.all(), {.keeps_past = true, .inquiry = inquiry::query}},
    kind{"values", &values::describe_pushed, values::pushed_keys.all(), {.is_pushed = true}},
    kind{"external", &values::describe_pushed, values::external_keys.all(), {.is_pushed = true}},
    kind{"external-push", &values::describe_pushed, values::external_keys.all(), {.is_pushed = true}},
    kind{"cpu", &values::describe_resource, values::resource_keys.all(), {.is_pushed = true}},
    kind{"memory", &values::describe_resource, values::resource_keys.all(), {.is_pushed = true}},
    kind{"dcgm", &dcgm::describe, dcgm::keys.all(), {.inquiry = inquiry::page}},
    kind{"metrics-api", &metrics_api::describe, metrics_api::keys.all(), {}},
    kind{"nvml",
         &nvml::describe,
         nvml::keys.all(),
         {.elsewhere = "Run this where the GPUs are, or read them over the network: trigger type dcgm or prometheus."}},
    kind{"azure-monitor",
         &azure_monitor::describe,
         azure_monitor::keys.all(),
         {.role = {"Monitoring Reader", "the resource whose metric is read"}}},
    kind{"azure-log-analytics",
         &log_analytics::describe,
         log_analytics::keys.all(),
         {.role = {"Log Analytics Reader", "the Log Analytics workspace"}}},
    kind{"kubernetes", &kubernetes::describe, kubernetes::keys.all(), {.is_granted_by_cluster = true}},
#ifdef GPUTIDE_CRON
    kind{"cron", &cron::describe, cron::keys.all(), {}},
#endif
};

error unknown_type(const config::trigger& trigger) {
    std::string text = "trigger type " + quoted(trigger.type) + " is not known; expected one of";
    const char* separator = " ";
    for (const std::string_view type : known_types()) {
        text.append(separator).append(type);
        separator = ", ";
    }
    const std::vector<std::string_view> types = known_types();
    const std::string_view near = nearest(trigger.type, types);
    if (!near.empty()) text += "; did you mean " + quoted(near) + "?";
    return at_trigger(fail(status::invalid, std::move(text)), trigger);
}

}  // namespace

result<description> describe(const config::trigger& trigger, const config::trigger_rules& rules,
                             config::profile profile, config::report* findings) {
    for (const kind& one : kinds) {
        if (one.type != trigger.type) continue;
        auto out = one.describe(trigger, rules, profile, findings);
        if (!out) return out;
        out->type = one.type;
        out->label = trigger.label();
        out->traits = &one.traits;
        out->settings = config::parameters(trigger, one.keys).values();
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

std::vector<std::string_view> known_types() {
    std::vector<std::string_view> out;
    out.reserve(kinds.size());
    for (const kind& one : kinds) out.push_back(one.type);
    return out;
}

std::span<const config::field> keys_of(std::string_view type) {
    for (const kind& one : kinds) {
        if (one.type == type) return one.keys;
    }
    return {};
}

}  // namespace gputide::source
