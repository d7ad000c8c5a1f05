// The trigger type metrics-api (kedacore/keda pkg/scalers/metrics_api_scaler.go): keys, paths, settings, result.
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "formats/exposition/selector.hpp"
#include "http/message.hpp"
#include "source/access/access.hpp"
#include "source/source.hpp"
#include "source/target.hpp"
#include "text/document.hpp"
#include "text/field.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::source::metrics_api {

inline constexpr auto keys =
    text::fields({
        {.names = {"url"},
         .required = true,
         .of_access = true,
         .range = "an http or https URL",
         .meaning = "the address to request"},
        {.names = {"valueLocation"},
         .required = true,
         .range = "`json`, `yaml`: `a.b.0.c`; `prometheus`: `name` or `name{label=\"value\"}`",
         .meaning = "location of the number in the response"},
        {.names = {"format"},
         .allowed = "json yaml prometheus xml",
         .fallback = "json",
         .meaning = "format of the response; `xml` is not supported here"},
    }) +
    target_value_keys +
    text::fields({
        {.names = {"method"},
         .allowed = "header query",
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
         .meaning = "KEDA then requests every endpoint of a Service; not supported here, see below"},
        {.names = {"aggregationType"}, .meaning = "accepted, has no effect"},
    }) +
    access::access_keys;

// The location of a number in a response: dots between members and elements of JSON or YAML, as in gjson's plain paths
// (tidwall/gjson SYNTAX.md), or a series of a metrics page.  Pure.

struct step {
    std::string name;       // name of a member or index of an element; unescaped unless `pattern`
    bool pattern = false;   // contains * or ?; takes the first member that matches
    bool elements = false;  // "#": the length of a list
};

// Parses "components.worker.0.tasks", "a\.b" (a dot in a name), "*.tasks", "jobs.#". gjson's queries, modifiers, pipes and
// multipaths are errors that name them.
result<std::vector<step>> parse_path(std::string_view text);

// Returns null if the location is not found.
const text::node* find(const text::node& node, const std::vector<step>& path);

// Returns a number, or the number in a text, which may be a Kubernetes quantity ("1500m" → 1.5); nullopt for other nodes.
std::optional<double> number_in(const text::node& node);

// Parses `name` or `name{label="value",…}`.
result<formats::exposition::selector> parse_series(std::string_view text);

// Settings, with KEDA's rules and error texts (kedacore/keda pkg/scalers/metrics_api_scaler.go).

enum class format : std::int32_t { json = 0, yaml = 1, prometheus = 2 };

struct settings : common_settings {
    std::string url;
    metrics_api::format format = metrics_api::format::json;
    std::string location;                  // as written
    std::vector<step> path;                // json, yaml
    formats::exposition::selector series;  // prometheus
    secret_text query_key;                 // "api_key=…", escaped, for the URL; empty: none
    std::int64_t timeout_ms = 0;

    access::settings access;
    bool sends_custom = false;  // authModes contains custom
};

result<settings> read_settings(trigger_reader& read);

// Converts an API's response to a reading and to one sample.  Pure.

// Returns one series with the number at the trigger's location; for a metrics page all matching series.  Errors: transport, a
// status other than 200, a response of another format, nothing at that location, or not a number there.
result<reading> read_answer(const http::answer& answer, const settings& settings);

// Takes the first of several series of a page, like KEDA, unless the trigger names a reducer.
fetched judge(const reading& reading, const settings& settings);

// The trigger type metrics-api: one number from the response of any HTTP API, as in KEDA.

result<description> describe(trigger_reader& read);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::metrics_api
