// The keys of a prometheus trigger (kedacore/keda pkg/scalers/prometheus_scaler.go).
#pragma once

#include "config/field.hpp"
#include "source/access/keys.hpp"
#include "source/keys.hpp"
#include "source/presets.hpp"

namespace gputide::source::prometheus {

inline constexpr auto keys =
    config::fields({
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

}  // namespace gputide::source::prometheus
