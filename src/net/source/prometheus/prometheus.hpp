// Trigger type prometheus: its keys and settings, its requests, and how an answer becomes a sample.
// All of it is pure but open().
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"
#include "source/access/access.hpp"
#include "source/access/keys.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gputide::source::prometheus {

inline constexpr auto keys =
    text::fields({
        {.names = {"serverAddress"},
         .required = true,
         .of_access = true,
         .range = "an http or https URL",
         .meaning = "the address in front of `/api/v1/query`; a path and a query string of its own stay"},
        {.names = {"query"}, .required = true, .range = "PromQL", .meaning = "must give one number, or name a reducer"},
        {.names = {"namespace"}, .meaning = "`namespace=` of the query API, for tenants (Thanos, Mimir)"},
        {.names = {"customHeaders"}, .type = value_type::pairs, .meaning = "headers of each request"},
        {.names = {"queryParameters"}, .type = value_type::pairs, .meaning = "parameters added to the query's URL"},
        {.names = {"ignoreNullValues"},
         .type = value_type::flag,
         .fallback = "true",
         .meaning = "an empty result, NaN and infinities count as 0; `false` makes them errors"},
        {.names = {"unsafeSsl"},
         .type = value_type::flag,
         .fallback = "false",
         .meaning = "do not verify the server's certificate"},
        {.names = {"timeout"}, .type = value_type::duration, .otherwise = "3 s", .meaning = "for each request"},
        {.names = {"gputide.io/http-method"},
         .allowed = {"GET", "POST"},
         .fallback = "GET",
         .meaning = "`POST` keeps queries out of URLs and proxies' logs; long queries go so anyway"},
        {.names = {"gputide.io/age-query"},
         .otherwise = "made from the query",
         .range = "PromQL that gives Unix seconds",
         .meaning = "where `gputide.io/max-sample-age` is set: the time of the oldest sample behind the value"},
        {.names = {"gputide.io/preset-selector"},
         .otherwise = "all series of the server",
         .range = "label matchers such as `namespace=\"ml\",pod=~\"llm-.*\"`",
         .meaning = "which series a preset's query is about"},
        {.names = {"metricName"}, .meaning = "accepted, has no effect: the metric is named `s<index>-prometheus`"},
    }) +
    preset_keys + threshold_keys + access::cloud_keys + access::access_keys + access::oauth_keys;

// The metadata of a prometheus trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/prometheus_scaler.go, pkg/scalers/authentication).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.

// The query and the rules for its answer: all that an open source keeps.
struct query_settings {
    std::string server_address;
    std::string query;
    std::string name_space;  // namespace= for tenancy
    std::map<std::string, std::string> headers;
    std::map<std::string, std::string> parameters;
    bool unsafe_ssl = false;
    bool post = false;            // gputide.io/http-method: POST for short queries as well
    bool strict = false;          // as KEDA, defects included
    std::int64_t timeout_ms = 0;  // 0: limits::default_http_timeout_ms

    source::reduction reduction;
    std::int64_t max_age_ms = 0;  // 0: no limit, and no second query
    std::string age_query;        // gives the time of the oldest sample as Unix seconds; set where max_age_ms is

    std::int64_t attempt_timeout_ms() const;
};

// With the target, which goes into the description, and the authentication.
struct settings : query_settings {
    source::target target;
    access::settings access;
    const preset* filled_by = nullptr;  // the preset that gave the query
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               manifest::profile as, text::report* findings, error* lacking = nullptr);

// Settings and a time → the HTTP request, without authentication.  Pure.
// GET <serverAddress>/api/v1/query?query=..&time=..[&namespace=..][&extra..] (kedacore/keda pkg/scalers/prometheus_scaler.go).

// A URL longer than this becomes a POST form (proxies commonly cut at 8 KiB); the strict profile sends GET
// unless gputide.io/http-method asks for POST.
inline constexpr std::size_t longest_url_bytes = 4'096;

// `query` is the trigger's own or its age query.  now_ms as RFC 3339 in whole seconds.
//   default  one '/' between address and path; the address keeps its path prefix and its query string; all is escaped
//   strict   plain concatenation, namespace as it stands
result<http::request> build_request(const query_settings& settings, std::string_view query, std::int64_t now_ms);

// GET <serverAddress>/api/v1/query_range?query=..&start=..&end=..&step=..: the trigger's own query over a range, in seconds
// with three decimals.  At most max_range_points steps; the server refuses more.
inline constexpr std::int64_t max_range_points = 11'000;
result<http::request> build_range_request(const query_settings& settings, const time_range& over);

// Everything that build_request() depends on but the time, one line each.
std::string request_key(const query_settings& settings);

// Reading → sample, by the rules of a prometheus trigger (kedacore/keda pkg/scalers/prometheus_scaler.go,
// ExecutePromQuery).  Pure.
//
//   default  KEDA's table, but an answer that is not an instant vector of floats (a range, a native histogram, a string) is an
//            error instead of an empty result; a scalar counts as its value
//   strict   as KEDA, over what parse_as_keda() makes of the body

fetched judge(const result<numbers>& numbers, const query_settings& settings);

// The value with the time of its oldest sample (`age`, Unix seconds), or stale if that is too old or not known.
// A value made of nothing (null_as_zero) has no age and stays as it is.
fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms);

// The body as Go's decoder reads it into KEDA's struct: `status` and `resultType` are decoded and never compared, null is
// anything's zero value, only value[1] of a single element is looked at.  A null there is -1, as in KEDA; what makes KEDA
// panic (a number or a bool) is an error.  One series without points stands for an element without a value.
result<reading> parse_as_keda(const http::answer& answer, std::string_view query);

// The prometheus trigger as a source.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::prometheus
