// The trigger types that exist.  A new source is a folder beside this file and a line in this table.
#include "base/text.hpp"
#include "source/azure_monitor/azure_monitor.hpp"
#include "source/dcgm/dcgm.hpp"
#include "source/log_analytics/log_analytics.hpp"
#include "source/prometheus/prometheus.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "source/values/values.hpp"

#include <array>

namespace gputide::source {
namespace {

using factory = result<std::shared_ptr<metric_source>> (*)(const config::trigger&, const config::trigger_rules&,
                                                           config::profile, const services&, config::report*);

struct kind {
    std::string_view type;
    factory make;
};

constexpr std::array kinds = {
    kind{"prometheus", &prometheus::open},
    kind{"values", &values::open_pushed},
    kind{"external", &values::open_pushed},
    kind{"external-push", &values::open_pushed},
    kind{"cpu", &values::open_resource},
    kind{"memory", &values::open_resource},
    kind{"dcgm", &dcgm::open},
    kind{"azure-monitor", &azure_monitor::open},
    kind{"azure-log-analytics", &log_analytics::open},
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

}  // namespace gputide::source
