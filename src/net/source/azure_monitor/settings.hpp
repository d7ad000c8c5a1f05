// The metadata of an azure-monitor trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/azure_monitor_scaler.go).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/azure/api.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::source::azure_monitor {

inline constexpr std::int64_t default_span_ms = 300'000;

struct settings {
    // "/subscriptions/S/resourceGroups/G/providers/<namespace>/<type>/<name>"; several only in the batch form.
    std::vector<std::string> resources;
    std::string subscription;
    std::string metric;
    std::string name_space;
    std::string filter;       // OData: "instance eq '*'"
    std::string interval;     // between two points, as Azure takes it: "PT1M"; "": Azure's choice
    std::string aggregation;  // Average, Total, Maximum, Minimum, Count; strict: None as well

    // How far back the request looks.  KEDA reads the numbers of h:m:s when it asks, so that strict keeps the error for then.
    std::int64_t span_ms = default_span_ms;
    std::string span_error;

    bool batch = false;  // the regional endpoint for many resources, instead of the resource manager
    azure::endpoint where;
    azure::client who;

    source::target target;
    source::reduction reduction;
    std::int64_t max_age_ms = 0;
    bool last_non_null = true;  // skip points without the aggregation at the end of a series; strict: where asked for
    bool strict = false;

    bool reads_as_keda() const { return strict && !last_non_null && reduction.reduce.empty(); }
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking = nullptr);

}  // namespace gputide::source::azure_monitor
