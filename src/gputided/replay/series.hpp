// Series for a replay: from files, from containers in long form, from the manifest's own source; and start-up delays.
#pragma once

#include "common/manifests.hpp"
#include "gputide/gputide.hpp"
#include "replay/replay.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

struct first_metric {
    std::string kind;  // External, Object, Pods, Resource, ContainerResource
    std::string type;  // AverageValue, Value, Utilization
    std::string asks;  // the query, or the metric on a page; "": unknown
};

first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files);

// Reports whether the value falls when replicas are added: a mean over them, or a value that is compared as it is.
bool is_mean_over_replicas(const first_metric& metric);

// A way to reduce the values of a moment to one number.
enum class reducer { mean, sum, max, min };

// Returns how the trigger's own query would reduce the containers' values.
reducer reducer_of(const first_metric& metric);

// Long form: a line per container, time,container,value.  Reports whether the heading has three columns, the first one the time and
// another one `container`, `pod`, `instance`, `replica` or `gpu`.
bool is_long_form(const std::string& text);

// Returns time,value,replicas: one series with the number of containers as the recorded size.  Moments are as far apart as the
// lines of a container usually are.  The last line of a container in a moment counts; a container with a value that is empty, null or
// NaN counts only as a replica.  Throws usage_error with the line.
std::string joined_form(const std::string& text, reducer how);

// Reads the delays of --startup: "60s", "2m", "0", or "@delays.csv" (a duration per line, or CSV with a column startup, duration
// or seconds; a bare number is seconds).  Above the library's limit, quantiles replace them.  "4m+node" adds node_ms, which only
// pools provide.  Throws usage_error.
std::vector<std::int64_t> startup_delays_ms(const std::vector<std::string>& given, std::optional<std::int64_t> node_ms);

// Reports whether each delay is written with "+node".
bool all_wait_for_node(const std::vector<std::string>& given);

// Returns the median; delays_ms must not be empty.
std::int64_t median_ms(std::vector<std::int64_t> delays_ms);

// Returns "60 s, 90 s"; for more than five "250 durations: p10 41 s, p50 90 s, p90 200 s, longest 310 s".
std::string delays_text(std::vector<std::int64_t> delays_ms);

// Fetches the past from `before_ms` before --from until --to in steps of --step, 10,000 points per query (Prometheus rejects more
// than 11,000); progress on stderr.  --cache keeps the result in a file, so that a later run fetches only the rest.  Throws
// gputide::failure, usage_error.
void fetch_past(const replay_options& options, std::int64_t before_ms, const std::string& scaler,
                const std::vector<manifest_file>& files, gputide::series& series);

}  // namespace gputided
