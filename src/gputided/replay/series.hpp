// Series for a replay, from files, from containers in long form, or from the manifest's source; and start-up delays.
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
    std::string asks;  // the query, or the metric's name on a page; "": unknown
};

first_metric first_metric_of(const replay_options& options, const std::string& scaler,
                             const std::vector<manifest_file>& files);

// Reports whether the value decreases when replicas are added: a mean over replicas, or a value that is not divided by replicas.
bool is_mean_over_replicas(const first_metric& metric);

// The aggregation of several values into one.
enum class reducer { mean, sum, max, min };

// Returns the aggregation that the trigger's query would use for the containers' values.
reducer reducer_of(const first_metric& metric);

// Reports whether the heading is the long form, which has a line per container: time, value, and a column named `container`,
// `pod`, `instance`, `replica` or `gpu`.
bool is_long_form(const std::string& text);

// Returns a series time,value,replicas; replicas is the number of containers.  The time step is the usual step between a
// container's lines.  The last line of a container in a step counts.  A container with a value that is empty, null or NaN counts
// only as a replica.  Throws usage_error with the line.
std::string joined_form(const std::string& text, reducer how);

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
