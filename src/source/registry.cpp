// The trigger types that exist.  A new source is a folder beside this file and a line in this table.
#include "base/text.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/azure_monitor/keys.hpp"
#include "source/dcgm/dcgm.hpp"
#include "source/dcgm/keys.hpp"
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

using factory = result<std::shared_ptr<metric_source>> (*)(const config::trigger&, const config::trigger_rules&,
                                                           config::profile, const services&, config::report*);

struct kind {
    std::string_view type;
    factory make;
    std::span<const config::field> keys;
};

constexpr std::array kinds = {
    kind{"prometheus", &prometheus::open, prometheus::keys.all()},
    kind{"values", &values::open_pushed, values::pushed_keys.all()},
    kind{"external", &values::open_pushed, values::external_keys.all()},
    kind{"external-push", &values::open_pushed, values::external_keys.all()},
    kind{"cpu", &values::open_resource, values::resource_keys.all()},
    kind{"memory", &values::open_resource, values::resource_keys.all()},
    kind{"dcgm", &dcgm::open, dcgm::keys.all()},
    kind{"metrics-api", &metrics_api::open, metrics_api::keys.all()},
    kind{"nvml", &nvml::open, nvml::keys.all()},
    kind{"azure-monitor", &azure_monitor::open, azure_monitor::keys.all()},
    kind{"azure-log-analytics", &log_analytics::open, log_analytics::keys.all()},
    kind{"kubernetes", &kubernetes::open, kubernetes::keys.all()},
};

error unknown_type(const config::trigger& from) {
    std::string text = "trigger type " + quoted(from.type) + " is not known; expected one of";
    const char* separator = " ";
    for (const std::string_view type : known_types()) {
        text.append(separator).append(type);
        separator = ", ";
    }
    const std::vector<std::string_view> types = known_types();
    const std::string_view near = nearest(from.type, types);
    if (!near.empty()) text += "; did you mean " + quoted(near) + "?";
    return at_trigger(fail(status::invalid, std::move(text)), from);
}

}  // namespace

result<std::shared_ptr<metric_source>> open(const config::trigger& from, const config::trigger_rules& rules,
                                            config::profile as, const services& with, config::report* findings) {
    for (const kind& one : kinds) {
        if (one.type == from.type) return one.make(from, rules, as, with, findings);
    }
    return unknown_type(from);
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
