// The keys of a metrics-api trigger (kedacore/keda pkg/scalers/metrics_api_scaler.go).
#pragma once

#include "config/field.hpp"
#include "source/access/keys.hpp"
#include "source/keys.hpp"

namespace gputide::source::metrics_api {

inline constexpr auto keys =
    config::fields({
        {.names = {"url"},
         .required = true,
         .of_access = true,
         .range = "an http or https URL",
         .meaning = "what is asked"},
        {.names = {"valueLocation"},
         .required = true,
         .range = "`json`, `yaml`: `a.b.0.c`; `prometheus`: `name` or `name{label=\"value\"}`",
         .meaning = "where the number stands in the answer"},
        {.names = {"format"},
         .allowed = {"json", "yaml", "prometheus", "xml"},
         .fallback = "json",
         .meaning = "of the answer; `xml` is KEDA's and not read here"},
    }) +
    target_value_keys +
    config::fields({
        {.names = {"method"},
         .allowed = {"header", "query"},
         .fallback = "header",
         .meaning = "with `apiKey`: where the key goes"},
        {.names = {"keyParamName"},
         .otherwise = "`X-API-KEY`; in a query `api_key`",
         .meaning = "with `apiKey`: the name of that header or parameter"},
        {.names = {"unsafeSsl"},
         .type = value_type::flag,
         .fallback = "false",
         .meaning = "do not verify the server's certificate"},
        {.names = {"timeout"}, .type = value_type::duration, .otherwise = "3 s", .meaning = "for the request"},
        {.names = {"aggregateFromKubeServiceEndpoints"},
         .type = value_type::flag,
         .fallback = "false",
         .range = "`false`",
         .meaning = "KEDA asks every endpoint of a Service then; here it is refused, see below"},
        {.names = {"aggregationType"}, .meaning = "accepted, has no effect"},
    }) +
    access::access_keys;

}  // namespace gputide::source::metrics_api
