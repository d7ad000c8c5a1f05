// The metadata of an azure-log-analytics trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/azure_log_analytics_scaler.go).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.
#pragma once

#include "base/result.hpp"
#include "config/report.hpp"
#include "config/spec.hpp"
#include "source/azure/api.hpp"
#include "source/source.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source::log_analytics {

// The service takes the intersection of this and the query's own times, so that it must not cut any ordinary query short;
// without one it would scan all that the workspace holds.
inline constexpr std::string_view default_timespan = "P31D";

struct settings {
    std::string workspace;
    std::string query;
    std::string timespan;  // ISO 8601; strict: ""
    azure::endpoint where;
    azure::client who;
    bool unsafe_ssl = false;
    std::int64_t attempt_timeout_ms = 0;

    source::target target;
    source::reduction reduction;
    std::int64_t max_age_ms = 0;
    bool strict = false;
};

// A metric of Container Insights that the query names and that no current cluster collects; "": none.
std::string_view vanished_metric(std::string_view query);
// "containerGpuDutyCycle is no longer collected: ..."
std::string vanished_text(std::string_view metric);

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const config::trigger& trigger, const config::trigger_rules& rules, config::profile as,
                               config::report* findings, error* lacking = nullptr);

}  // namespace gputide::source::log_analytics
