// The keys of a metrics-api trigger (kedacore/keda pkg/scalers/metrics_api_scaler.go).
#pragma once

#include "base/result.hpp"
#include "base/secret.hpp"
#include "formats/exposition/selector.hpp"
#include "http/message.hpp"
#include "manifest/spec.hpp"
#include "source/access/access.hpp"
#include "source/access/keys.hpp"
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
    text::fields({
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

// The place of a number in an answer: dots between members and elements of JSON or YAML, as gjson writes its plain paths
// (tidwall/gjson SYNTAX.md), or a series of a metrics page.  Pure.

struct step {
    std::string name;       // of a member, or the index of an element; without escapes, unless it is a pattern
    bool pattern = false;   // has * or ?, and takes the first member that fits
    bool elements = false;  // "#": how many elements a list has
};

// "components.worker.0.tasks", "a\.b" (a dot in a name), "*.tasks", "jobs.#".  gjson's queries, modifiers, pipes and multipaths
// are refused by name.
result<std::vector<step>> parse_path(std::string_view text);

// Null: there is nothing at that place.
const text::node* find(const text::node& node, const std::vector<step>& path);

// A number, or a text that is a number or a Kubernetes quantity ("1500m" → 1.5); nothing elsewhere.
std::optional<double> number_in(const text::node& node);

// `name` or `name{label="value",…}`.
result<formats::exposition::selector> parse_series(std::string_view text);

// The metadata of a metrics-api trigger as typed settings, by KEDA's rules and in KEDA's words
// (kedacore/keda pkg/scalers/metrics_api_scaler.go).  No I/O.
// In: one trigger with its authentication resolved; out: settings, or all errors together; warnings go to the report.

enum class format : std::int32_t { json = 0, yaml = 1, prometheus = 2 };

struct settings {
    std::string url;
    metrics_api::format format = metrics_api::format::json;
    std::string location;                  // as written
    std::vector<step> path;                // json, yaml
    formats::exposition::selector series;  // prometheus
    secret_text query_key;                 // "api_key=…", escaped, for the URL; empty: none
    std::int64_t timeout_ms = 0;

    access::settings access;
    bool sends_custom = false;  // authModes custom is written
    source::target target;
    source::reduction reduction = {.reduce = {}, .ignore_null = false};
    std::int64_t max_age_ms = 0;
};

// `lacking` takes what is wrong with the address and the credential alone, the settings are the rest then; null: that fails
// the reading as all else does.
result<settings> read_settings(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                               manifest::profile as, text::report* findings, error* lacking = nullptr);

// An API's answer → a reading → one sample.  Pure.

// One series: the number at the trigger's place; of a metrics page all series that fit.  Errors: transport, a status other
// than 200, an answer of another format, nothing at that place, or no number there.
result<reading> read_answer(const http::answer& answer, const settings& settings);

// Takes the first of several series of a page, as KEDA does, unless a reducer is named.
fetched judge(const reading& reading, const settings& settings);

// Trigger type metrics-api: one number out of any HTTP API's answer, as KEDA's scaler of that name.

result<description> describe(const manifest::trigger& trigger, const manifest::trigger_rules& rules,
                             manifest::profile profile, text::report* findings);

result<std::shared_ptr<metric_source>> open(const description& described, const services& services);

}  // namespace gputide::source::metrics_api
