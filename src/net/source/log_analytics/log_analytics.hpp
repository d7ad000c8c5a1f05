// The keys of an azure-log-analytics trigger (kedacore/keda pkg/scalers/azure_log_analytics_scaler.go).
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"
#include "source/azure/azure.hpp"
#include "source/source.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <simdjson.h>

#include <cstdint>
#include <optional>
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
         .meaning = "must give one table with one row that starts with the number; several rows need a reducer"},
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
         .meaning = "where the application lives"},
        {.names = {"clientId"},
         .places = anywhere,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "the application that asks"},
        {.names = {"clientSecret"},
         .places = anywhere,
         .type = value_type::secret,
         .of_access = true,
         .otherwise = "required without podIdentity `azure-workload`",
         .meaning = "its secret"},
        {.names = {"logAnalyticsResourceURL"},
         .of_access = true,
         .otherwise = "required for cloud `Private`",
         .range = "an https URL",
         .meaning = "the query API of a cloud of one's own"},
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

// The metadata of an azure-log-analytics trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/azure_log_analytics_scaler.go).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.

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
result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               manifest::profile as, text::report* findings, error* lacking = nullptr);

// Settings → the HTTP request, without authentication.  Pure; the service's own clock counts back from now.
// POST {base}/v1/workspaces/{id}/query, Content-Type: application/json, {"query":"..","timespan":"PT10M"}.

// `Prefer: wait=N` lets the service stop when the caller has given up; 600 s is its own limit.  KEDA sends none.
http::request build_request(const settings& settings);

// Everything that build_request() depends on, and how the answer becomes a number.
std::string request_key(const settings& settings);

// One cell of a table by the type of its column.  Pure.

// int, long and real; decimal (a text of digits) but for the strict profile.
bool is_numeric(std::string_view type, bool strict);

// Nothing for null.  Below 0, not finite, or no number at all: class bad_value.
result<std::optional<double>> numeric_cell(simdjson::dom::element cell, std::string_view type);

// As a label's value: texts as they are, everything else as JSON.
std::string text_of_cell(simdjson::dom::element cell);

// Bytes of a query answer → the numbers of its first column, or the reason why there are none.  Pure.
// {"tables":[{"columns":[{"name","type"}],"rows":[[..]]}],"error"?}
//
// A row is a series: its first cell the value, its first datetime the time, every further cell a label under its column's
// name; a cell that holds a JSON object as text (InsightsMetrics' Tags) gives its members as labels instead.
//   no table, column or row; a null          no_data     (an average over no rows is null, not 0)
//   more than one table                      ambiguous; more than one row as well, without gputide.io/reduce
//   a column of another type                 bad_type
//   below 0, NaN, infinite                   bad_value
//   error.code beside tables, status 200     the reading is partial, with the error as its warning; strict: not looked at

result<reading> parse(const http::answer& answer, const settings& settings);

// Reading → one sample.
fetched judge(const reading& reading, const settings& settings);

// The service gave up on a query as too heavy: it would cost the same again.
bool is_too_heavy(const http::answer& answer);

// The trigger type azure-log-analytics: a KQL query over a Log Analytics workspace, Container Insights included.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::log_analytics
