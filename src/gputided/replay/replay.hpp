// gputided replay: runs recorded metrics through the decision code.  Shared by replay, compare and tune.
#pragma once

#include "common/json.hpp"
#include "common/options.hpp"
#include "gputide/gputide.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

struct replay_options {
    shared_options shared;
    std::vector<std::string> series;  // files; several files: one per metric, in manifest order
    std::string sizes;                // file with the recorded replica counts
    std::string from, to;             // "": the whole series
    std::string step = "15s";
    std::string cache;
    // "": closed loop if the metric is a mean over replicas and their number is known, otherwise open loop
    std::string model;
    std::vector<std::string> signals;
    double saturation = 100.0;
    std::vector<std::string> startup;
    std::string exporter, scrape, poll, sync, hold, flap_window;  // durations; "": the default
    std::int64_t seed = 1;
    std::int32_t recorded_replicas = -1;
    std::int32_t initial_replicas = -1;
    std::vector<double> above;
    std::vector<std::string> set;  // name=value
    std::optional<double> gpus_per_replica;
    std::optional<double> cost_per_gpu_hour;
    std::string verify;  // a run log
    std::string html;
    std::string pools;                 // JSON: node pools, and the requests of a replica
    std::int32_t timeout_ms = 60'000;  // per range query
};

// Adds the options that replay, compare and tune share.  html: the help of --html.
void add_replay_options(CLI::App& app, replay_options& options, const char* html);

// The input of a replay: a manifest, a series from files or from the manifest's source, and the settings. replay, compare and
// tune read it once and run any number of variants.
struct replay_input {
    std::string scaler;        // "namespace/name"
    std::string file;          // of the manifest
    std::string manifest;      // its text
    gputide::options options;  // permissions and the scaler
    std::shared_ptr<const gputide::series> series;
    json settings;  // for gputide_replay_open
    json pools;     // null: simulates only replicas, no nodes
};

// Reads the input.  Uses the network only for --from without --series, with progress on stderr.  Throws usage_error or
// gputide::failure.
replay_input read_replay_input(const replay_options& options);

// Returns the report of a variant: `changes` ("threshold": 60) are added to the settings' "set".  Has `nodes` if there are pools.
// Has `compared` (see add_rivals() in input.cpp) for the unchanged input if it forecasts and a chart is wanted.
json report_of(const replay_input& input, const json& changes);

// Returns why the library rejects these changes, or nothing if it accepts them.  Does not run a replay.
std::optional<gputide::failure> refusal_of(const replay_input& input, const json& changes);

// Adds "threshold=60" or "in_flight_guard=true" to `changes`.  A value that is not JSON becomes a text, which the library
// validates.  Throws usage_error with the flag's name.
void add_change(const std::string& text, const char* flag, json& changes);

// Makes later variants measure minutes above target against the levels of this report. Has no effect if levels are given.
void fix_levels(replay_input& input, const json& report);

bool forecasts(const json& report);

// Returns the quantile "p50", "p95" or "max" of the minutes from a rise above the target until the load is below it again;
// nothing without a rise.
std::optional<double> lateness_minutes(const json& summary, const char* quantile);

// Returns "45 s", "2.3 min", "120 h" or "215 days".
std::string span_text(double minutes);

// Returns the longest delay_s of a cluster's pools, which is the maximum wait for a new node.  Throws usage_error if `cluster`
// has a structure other than {"pools":[…],"pod":{…},"options":{…}} (docs/nodes.md).
std::int64_t longest_delay_ms(const json& cluster);

// Simulates nodes with the replica counts of a replay's report.  cluster: accepted by longest_delay_ms().  Returns
// {"pools":[{"id","most","node_hours","gpu_hours","cost"}],"node_hours",…,"changes":[{"time_ms","text"}],"warnings":["…"]}.
// Throws usage_error if the report does not list all changes.
json nodes_of_replay(const json& report, json cluster);

// Returns the result of nodes_of_replay() as lines.
std::string nodes_text(const json& nodes);

// Returns the report in one sentence.
std::string report_conclusion(const json& report);

// Returns the page of compare and tune: recorded figures and candidates, a chart of GPU-hours and minutes above target, and the
// changes to apply.  title: of the page, a subtitle and a conclusion.  data, with the last four only for changes to apply:
// {"rows":[{"name","kind",...}],"notes":[...],"per_day":<figures are per day>,"diff","patch","command"}.  A row has "kind" recorded,
// now, best, kept or broken, its figures as far as known, "broke" (the limit that it breaks), and
// "curve":{"time_ms":[...],"replicas":[...],"min","max"}.
std::string choices_page(const std::array<std::string, 3>& title, const ordered_json& data);

// Returns the row of the recorded workload from a replay's report, with figures divided by `days`; null if no replicas were
// recorded.
ordered_json recorded_row(const json& report, double days);

// ---- series and start-up delays (series.cpp)

struct first_metric {
    std::string kind;  // External, Object, Pods, Resource, ContainerResource
    std::string type;  // AverageValue, Value, Utilization
    std::string asks;  // the query, or the metric's name on a page; "": unknown
};

// Returns the kind, the target type and the query of the manifest's first metric.
first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files);

// Reports whether the value decreases when replicas are added: a mean over replicas, or a value that is not divided by replicas.
bool is_mean_over_replicas(const first_metric& metric);

// Returns the content of a file of --series as the library reads it.  A CSV text in long form has a line per container: time, value,
// and a column named `container`, `pod`, `instance`, `replica` or `gpu`.  It becomes time,value,replicas: the values of a time
// aggregated as the trigger's query does, and the number of containers.  The time step is the usual step between a container's
// lines.  The last line of a container in a step counts.  A container with a value that is empty, null or NaN counts only as a
// replica.  Throws usage_error with the line.
std::string series_text(std::string text, const first_metric& metric);

// Reads the delays of --startup: "60s", "2m", "0", or "@delays.csv" (a duration per line, or CSV with a column startup, duration
// or seconds; a plain number is seconds).  More delays than the library's limit are replaced by quantiles.  "4m+node" adds
// node_ms, which requires pools.  Throws usage_error.
std::vector<std::int64_t> startup_delays_ms(const std::vector<std::string>& given, std::optional<std::int64_t> node_ms);

// Reports whether every delay has "+node".
bool all_wait_for_node(const std::vector<std::string>& given);

// Returns the median; delays_ms must not be empty.
std::int64_t median_ms(std::vector<std::int64_t> delays_ms);

// Returns "60 s, 90 s", or for more than five "250 durations: p10 41 s, p50 90 s, p90 200 s, longest 310 s".
std::string delays_text(std::vector<std::int64_t> delays_ms);

// Fetches the past from `before_ms` before --from until --to in steps of --step, 10,000 points per query (Prometheus rejects more
// than 11,000), with progress on stderr. --cache stores the result in a file, so that a later run fetches only the rest.  Throws
// gputide::failure or usage_error.
void fetch_past(const replay_options& options, std::int64_t before_ms, const std::string& scaler,
                const std::vector<manifest_file>& files, gputide::series& series);

}  // namespace gputided
