// The trigger type prometheus: keys and settings, requests, and how a response becomes a sample.  Everything except open() is
// pure.
#pragma once

#include "base/result.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/presets.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/field.hpp"

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
         .meaning = "the address before `/api/v1/query`; its own path and query string are kept"},
        {.names = {"query"},
         .required = true,
         .range = "PromQL",
         .meaning = "must return one number, unless a reducer is set"},
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
         .allowed = "GET POST",
         .fallback = "GET",
         .meaning = "`POST` keeps queries out of URLs and proxies' logs; long queries always use it"},
        {.names = {"gputide.io/age-query"},
         .otherwise = "derived from the query",
         .range = "PromQL that returns Unix seconds",
         .meaning = "if `gputide.io/max-sample-age` is set: the time of the oldest sample behind the value"},
        {.names = {"gputide.io/preset-selector"},
         .otherwise = "all series of the server",
         .range = "label matchers such as `namespace=\"ml\",pod=~\"llm-.*\"`",
         .meaning = "the series that a preset's query selects"},
        {.names = {"metricName"}, .meaning = "accepted, has no effect: the metric is named `s<index>-prometheus`"},
    }) +
    preset_keys + threshold_keys + access::cloud_keys + access::access_keys + access::oauth_keys;

// Settings, with KEDA's rules and error texts (kedacore/keda pkg/scalers/prometheus_scaler.go, pkg/scalers/authentication).

// The query and the rules for its response: all that an open source keeps.
struct query_settings : common_settings {
    std::string server_address;
    std::string query;
    std::string name_space;  // tenant, sent as namespace=
    std::map<std::string, std::string> headers;
    std::map<std::string, std::string> parameters;
    bool unsafe_ssl = false;
    bool post = false;            // gputide.io/http-method: use POST for short queries too
    std::int64_t timeout_ms = 0;  // 0: limits::default_http_timeout_ms

    // The second query, set only with max_age_ms: it returns the oldest sample's Unix time.
    std::string age_query;

    std::int64_t attempt_timeout_ms() const;
};

// All settings: with the authentication.
struct settings : query_settings {
    access::settings access;
    const preset* filled_by = nullptr;  // the preset that set the query; null: none
};

result<settings> read_settings(trigger_reader& read);

// Builds the HTTP request for a time, without authentication.  Pure.
// GET <serverAddress>/api/v1/query?query=..&time=..[&namespace=..][&extra..] (kedacore/keda pkg/scalers/prometheus_scaler.go).

// A longer URL becomes a POST form, because proxies commonly cut at 8 KiB; the strict profile sends GET unless
// gputide.io/http-method is POST.
inline constexpr std::size_t longest_url_bytes = 4'096;

// `query` is the trigger's own query or its age query.  Sends now_ms as RFC 3339 in whole seconds.
//   default  one '/' between address and path; the address keeps its path prefix and its query string; all parts are escaped
//   strict   plain concatenation, namespace unescaped
result<http::request> build_request(const query_settings& settings, std::string_view query, std::int64_t now_ms);

// Builds GET <serverAddress>/api/v1/query_range?query=..&start=..&end=..&step=..: the trigger's own query over a range, in
// seconds with three decimals.  At most max_range_points steps; the server rejects more.
inline constexpr std::int64_t max_range_points = 11'000;
result<http::request> build_range_request(const query_settings& settings, const time_range& over);

// Returns a text that identifies the request: all that build_request() depends on except the time, one line each.
std::string request_key(const query_settings& settings);

// Reduces a reading to a sample by the rules of a prometheus trigger (kedacore/keda pkg/scalers/prometheus_scaler.go,
// ExecutePromQuery).  Pure.
//
//   default  as KEDA, but a response that is not an instant vector of floats (a range, a native histogram, a string) is an
//            error instead of an empty result; a scalar is used as its value
//   strict   as KEDA, applied to the result of parse_as_keda()

fetched judge(const result<numbers>& numbers, const query_settings& settings);

// Sets the value's time to that of its oldest sample (`age`, Unix seconds); returns stale() if that is too old or unknown.  A
// value that stands for an empty result (null_as_zero) has no age and stays unchanged.
fetched aged(fetched value, const result<numbers>& age, std::int64_t now_ms, std::int64_t max_age_ms);

// Parses the body as Go's decoder fills KEDA's struct: `status` and `resultType` are decoded but never compared, null is the zero
// value of any type, and only value[1] of a single element is used.  A null there is -1, as in KEDA; a number or a bool, for
// which KEDA panics, is an error.  A series without points stands for an element without a value.
result<reading> parse_as_keda(const http::answer& answer, std::string_view query);

// The prometheus trigger as a source.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::prometheus
