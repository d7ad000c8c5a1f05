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

// Replays a variant; the report has no `nodes` and no `compared`.
json replayed(const replay_input& input, const json& changes);

// Returns the report of a variant: `changes` ("threshold": 60) are added to the settings' "set".  Has `nodes` if there are pools.
// Has `compared` (see add_rivals) for the unchanged input if it forecasts and a chart is wanted.
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

// Adds the alternatives to a forecast as "compared": [{"name":...,"set":{...},"summary":{...},"chart":{...}}, ...]: forecast off,
// forecast on, and headroom.  Headroom means: forecast off, and the first metric's target lowered until the replica-hours equal
// those of the forecast.  Headroom is omitted if the forecast added no replica-hours, or if it predicts a formula or another
// metric. A warning is added if headroom is as good as the forecast. All are measured against the same target levels.
void add_rivals(json& report, const replay_input& input);

// Returns a line per entry of "compared": minutes above target and replica-hours, compared with the first entry.
std::vector<std::string> compared_lines(const json& compared);

// Returns a report for a terminal: conclusion, figures and sparklines.
std::string report_text(const json& report);

// Returns for example "util 87 > 66; ": the value that decided a change, and the level that it passed; "" without a value.
std::string drive_text(const json& report, const json& event);

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

}  // namespace gputided
