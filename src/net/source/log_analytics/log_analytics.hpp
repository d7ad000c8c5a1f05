// The trigger type azure-log-analytics (kedacore/keda pkg/scalers/azure_log_analytics_scaler.go): keys, settings, request,
// response, result.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/azure/azure.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::source::log_analytics {

using text::origin;
using text::value_type;

inline constexpr text::origins anywhere = {origin::auth, origin::metadata, origin::env};

inline constexpr auto keys =
    text::fields({
        {.names = {"workspaceId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required",
         .range = "a GUID",
         .meaning = "the workspace's id (not its name)"},
        {.names = {"query"},
         .places = anywhere,
         .otherwise = "required",
         .range = "KQL",
         .meaning = "must return one table with one row that starts with the number; several rows need a reducer"},
        {.names = {"threshold"},
         .places = anywhere,
         .type = value_type::number,
         .otherwise = "required",
         .meaning = "the target"},
        {.names = {"activationThreshold"},
         .places = anywhere,
         .type = value_type::number,
         .fallback = "0",
         .meaning = "above it the workload is active"},
        {.names = {"tenantId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "tenant of the application"},
        {.names = {"clientId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "client ID of the application"},
        {.names = {"clientSecret"},
         .places = anywhere,
         .type = value_type::secret,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "client secret of the application"},
        {.names = {"logAnalyticsResourceURL"},
         .of_access = true,
         .otherwise = "required for cloud `Private`",
         .range = "an https URL",
         .meaning = "the query API of a private cloud"},
        {.names = {"unsafeSsl"},
         .type = value_type::flag,
         .fallback = "false",
         .meaning = "do not verify the service's certificate"},
        {.names = {"timeout"},
         .type = value_type::duration,
         .otherwise = "3 s",
         .range = "up to a day",
         .meaning = "for the request"},
        {.names = {"gputide.io/timespan"},
         .otherwise = "`P31D`; profile strict: none",
         .range = "an ISO 8601 duration such as `PT10M`, or start/end",
         .meaning = "the service takes the intersection of this and of the query's own times"},
    }) +
    azure::cloud_keys;

// Settings, with KEDA's rules and error texts (kedacore/keda pkg/scalers/azure_log_analytics_scaler.go).

// The service takes the intersection of this time span and the query's own times, so it must be longer than any ordinary query
// needs.  Without a time span the service would scan all data of the workspace.
inline constexpr std::string_view default_timespan = "P31D";

struct settings : azure::settings {
    std::string workspace;
    std::string query;
    std::string timespan;  // ISO 8601; strict: ""
    std::int64_t attempt_timeout_ms = 0;
};

// Returns a metric of Container Insights that the query names and that current clusters no longer collect, or "".
std::string_view vanished_metric(std::string_view query);
// Returns "containerGpuDutyCycle is no longer collected: ..."
std::string vanished_text(std::string_view metric);

result<settings> read_settings(trigger_reader& read);

// Parses a query response to the numbers of its first column, or the reason why there are none.  Pure.
// {"tables":[{"columns":[{"name","type"}],"rows":[[..]]}],"error"?}
//
// A row is a series: its first cell is the value, its first datetime the time, each further cell a label named like its column.
// A cell with a JSON object as text (Tags of InsightsMetrics) gives its members as labels instead.
//   no table, column or row; a null          no_data     (an average over no rows is null, not 0)
//   more than one table                      ambiguous; more than one row is too, without gputide.io/reduce
//   a column of another type                 bad_type
//   negative, NaN, infinite                  bad_value
//   error.code beside tables, status 200     the reading is partial, with the error as its warning; ignored in strict

result<reading> parse(const http::answer& answer, const settings& settings);

// Reduces a reading to one sample.
fetched judge(const reading& reading, const settings& settings);

// Tells whether the service aborted the query as too expensive: a repetition would cost the same again.
bool is_too_heavy(const http::answer& answer);

// The trigger type azure-log-analytics: a KQL query over a Log Analytics workspace, Container Insights included.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::log_analytics
