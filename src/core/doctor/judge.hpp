// Judges what was seen: the functions judge_*() here and in examine.hpp return a step of the report.  Pure.
#pragma once

#include "auth/token/claims.hpp"
#include "base/error.hpp"
#include "base/pattern/pattern.hpp"
#include "base/sample.hpp"
#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/trace/trace.hpp"
#include "doctor/doctor.hpp"
#include "http/message.hpp"
#include "manifest/scaling.hpp"
#include "source/description.hpp"
#include "source/source.hpp"
#include "text/report.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::doctor {

// Steps `authority` and `endpoint`: reachability, certificate and clock of a host, from the result of one request without
// credentials.

// A certificate of a TLS server, only for messages: libcurl decides whether a chain is trusted.
struct certificate {
    std::string subject;  // the common name, or the whole name if it has none
    std::string issuer;
    std::vector<std::string> names;  // its DNS names and addresses
    std::int64_t not_before_ms = 0;  // Unix; 0: unreadable
    std::int64_t not_after_ms = 0;
    bool self_signed = false;
    bool is_for_host = false;  // set for the first certificate: it is for the host of the request
};

// Parses PEM texts, the server's own certificate first; skips unreadable certificates.
std::vector<certificate> read_chain(const std::vector<std::string>& pem, const std::string& host);

struct reach {
    std::string url;      // scheme, host and port: "https://w.eastus.prometheus.monitor.azure.com"
    std::string host;     // host of `url`
    http::answer answer;  // with the trust settings of the trigger
    std::vector<certificate> chain;
    bool verified = true;                 // false: the trigger has unsafeSsl
    std::string roots;                    // description of the trusted roots: "the CA file /etc/ca.crt"
    std::int64_t now_ms = 0;              // our clock at the response
    std::optional<std::int64_t> peer_ms;  // the server's clock, from its Date header
};

// Entra accepts an assertion if its times are wrong by at most five minutes.  An instant query finds nothing if its time is wrong
// by more than Prometheus' lookback (five minutes).
inline constexpr std::int64_t fatal_skew_ms = 5 * 60'000;
inline constexpr std::int64_t worrying_skew_ms = 30'000;

step judge_reach(std::string_view name, const reach& seen);

// Returns the step `proxy`, or nullopt if the request goes directly to the host.
std::optional<step> judge_proxy(const reach& seen);

// Returns the error that a request to that host would have, if the step failed.
error_ptr failure_of(const reach& seen);

// Step `age`: the age of the samples, and how often new ones arrive.

// The rate of new values of a metric, measured on its recent points: the time between points, and between changes of the value.
// An exporter that collects every 30 s and is scraped every 15 s repeats each value once.  An exporter that collects every second
// from a GPU with a constant load repeats values, too.  Only evenly spaced changes indicate the first case.
enum class pace : std::int32_t {
    unknown = 0,  // not measured
    unclear = 1,  // too few changes to tell
    slow = 2,     // values are repeated
    quick = 3,    // new values with each scrape, or every few seconds
};

struct tempo {
    doctor::pace pace = doctor::pace::unknown;
    std::int64_t scrape_ms = 0;   // median distance of points; 0: too few points
    std::int64_t renew_ms = 0;    // slow: median distance of changes; otherwise 0
    std::int64_t watched_ms = 0;  // for an exporter's page: how long it was watched
};

// Measures series.  A target (labels `job` and `instance`) collects all of its series together, so a change of one series counts
// for all of them.  One quick target is enough for `quick`.
tempo measure(const std::vector<source::series>& past);

// Tells whether all points of all series have this value, over a minute or more.
bool always(const std::vector<source::series>& past, double value);

// A metric that is read for each pod (Pods, Resource, ContainerResource).
struct pods {
    const decide::metric_policy& metric;
    const pod_reading& read;
};

step judge_pods(const pods& seen);
step check_usage(const pods& seen);

// Selectors of a trigger's query, with their series or, if there are none, similar series.

struct matcher {
    std::string label;
    std::string sign;  // = != =~ !~
    std::string value;
    std::optional<gputide::pattern> pattern;

    // Tells whether the labels match.  A missing label is "", as in PromQL.
    bool takes(const source::labels& labels, match_budget& budget) const;
    std::string text() const;  // deployment="my-gpu-workload"
};

struct selection {
    std::string metric;  // "": the selector names none
    std::vector<matcher> matchers;
    std::vector<source::labels> found;

    // Only if `found` is empty.
    std::vector<source::labels> nearby;      // series of the metric without one or without all of the matchers
    std::vector<std::string> metrics_alike;  // names that begin alike: DCGM_..., vllm:...
    std::vector<std::string> targets_down;   // targets that Prometheus cannot scrape: "dcgm-exporter at 10.0.0.3:9400"
    bool looked = false;                     // similar series were searched; false: only the page or response is known

    std::string text() const;
    std::string text_without(std::size_t matcher) const;  // the same selector without that matcher
};

// Parses `DCGM_FI_DEV_GPU_UTIL{deployment="x",gpu=~"0|1"}`; returns nullopt for a text that is not a selector.
std::optional<selection> read_selector(std::string_view text);

// Returns the labels of each series.
std::vector<source::labels> labels_of(const std::vector<source::series>& series);

// Returns the value of a label; "" if absent.
std::string_view label_value(const source::labels& labels, std::string_view name);

// Returns the label with the workload's pod.  If Prometheus scrapes without honorLabels, `pod` is the exporter's own pod and
// `exported_pod` the workload's.
std::string_view pod_label_of(const std::vector<source::labels>& series);

// Tells whether a shared GPU has its own series and one for each pod (dcgm-exporter since 4.5.3-4.8.2).
bool mixes_devices_and_pods(std::string_view metric, const std::vector<source::labels>& series);

// Returns the label names of all series, without __name__, sorted.
std::vector<std::string> label_names(const std::vector<source::labels>& labels);

// Returns the distinct values of a label, sorted, without "".
std::vector<std::string> label_values(const std::vector<source::labels>& labels, std::string_view name);

// The series behind a trigger's query; empty: unknown.
struct background {
    std::vector<selection> selections;
    std::string metric;                  // of the first selector that matches series
    std::vector<source::series> past;    // of that metric: the last five minutes
    std::vector<source::series> beside;  // all series of the same GPUs over the same time
    doctor::tempo tempo;                 // of a metric that changes with each collection, otherwise of `past`
    std::optional<std::int64_t> oldest_ms;
};

// A trigger's response, and what it is compared with: the input of the steps from `query` to `activation`.
struct evidence {
    source::description described;  // of the trigger
    source::fetched fetched;
    background behind;
    std::int64_t now_ms = 0;
    std::int64_t took_ms = 0;
    std::string host;  // host that was queried
    bool with_credential = false;
    bool of_azure = false;  // the credential is an Entra identity
    std::string client;     // client of the token; "": unknown
    std::optional<auth::claims> claims;
    bool can_be_zero = false;  // the manifest allows 0 or idle replicas
    bool is_hpa = false;       // an HPA has no activation
    bool is_variable = false;  // of a formula; only its result is compared

    const source::traits& traits() const {
        static constexpr source::traits unknown;
        return described.traits == nullptr ? unknown : *described.traits;
    }
    bool is_query() const { return traits().inquiry == source::inquiry::query; }
};

// Judges whether the endpoint responds to the trigger's query.
step judge_query(const evidence& seen);
// Reports number and labels of the series that the query returns, or what is missing.
step judge_series(const evidence& seen);
// Judges the age of the samples, and how often new ones arrive.
step judge_age(const evidence& seen);
// Judges whether the value is usable.
step judge_value(const evidence& seen);
// Judges whether the value activates the trigger.
step judge_activation(const evidence& seen);

// Metrics of the same GPUs that show a load in bursts, as a pattern: they cover the whole time, or are the power.
// DCGM_FI_DEV_GPU_UTIL misses it: it is the driver's last sample of 1/6 to 1 s, taken at each scrape.
inline constexpr const char* signals_beside_utilization =
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_POWER_USAGE|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

// Returns step `value` with a warning if these series contradict the metric.  `value` is the trigger's value as text.
std::optional<step> judge_aliasing(const std::string& metric, const std::vector<source::series>& past,
                                   const std::vector<source::series>& beside, const std::string& value);

// Explains why a selector matches no series, and what to change: cause and fix of step `series`.

// Explains a selection without series.  The fix differs between a Prometheus and an exporter's page.
step why_missing(const selection& selection, source::inquiry inquiry);

// Returns a scrape configuration that creates the wanted label from a label that the series have, or "".
std::string relabelling(const std::string& label, const std::string& wanted, const std::vector<source::labels>& series);

// Returns the line of dcgm-exporter's counters file that enables a field, or "" for a metric that is not DCGM's.
std::string counters_line(const std::string& metric);

// Steps `decision`, `limits`, `formula`, `load` and `manifest` of the whole scaler: what would be written now, its limits, the
// result of scalingModifiers, the effect of another load, and the warnings of `gputided check`.

struct outcome {
    const decide::policy& policy;
    decide::decision decision;
    std::string read_error;      // of the failed metric
    bool size_assumed = false;   // the number of replicas is unknown
    bool is_none_ready = false;  // there are replicas, but none is ready
};

// Tells the formula's result, its activation and its target.  The policy has a formula, and the decision computed it.
step judge_formula(const decide::policy& policy, const decide::trace& trace);

step judge_decision(const outcome& seen);
step judge_limits(const outcome& seen);

// Tells how a metric of the policy follows the load.
struct load_metric {
    bool follows_load = true;  // false for a schedule
    double max = std::numeric_limits<double>::infinity();
};

struct outlook {
    const decide::policy& policy;
    const decide::observation& seen;   // with a sample for each metric
    std::vector<load_metric> metrics;  // one per metric of the policy
};

// Returns "at twice the load: 6 -> 12 replicas; at no load: 6 -> 1": the replicas that the metrics propose within the bounds,
// without delays.  Returns nullopt if a metric has no value, or a value for each pod.
std::optional<step> judge_load(const outlook& seen);

// Returns the warnings of `gputided check` that affect the decision, or nullopt.
std::optional<step> judge_manifest(const text::report& findings);

}  // namespace gputide::doctor
