// Recorded metrics as values: the input of a replay.  Filled by the readers in this folder or point by point by a host; used
// by run.hpp.  Reads no file or clock itself.
#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide {
class json_writer;
}

namespace gputide::replay {

inline constexpr std::size_t max_points = 20'000'000;  // of all metrics together: more than nine years at 15 s
inline constexpr std::size_t max_text_bytes = std::size_t{256} << 20;
inline constexpr std::size_t max_metrics = 256;
inline constexpr std::int64_t latest_ms = limits::latest_time_ms;

// state ok: value is valid and finite.  empty: the query returned no value at this time.
struct point {
    std::int64_t time_ms = 0;
    double value = 0.0;
    sample_state state = sample_state::ok;
};

struct metric_track {
    std::string name;  // of the column or the trigger; may be empty
    std::vector<point> points;
};

// The workload's recorded size.
struct size_point {
    std::int64_t time_ms = 0;
    std::int32_t replicas = 0;
};

// The parts of a run log's decision that a replay compares.
struct logged_decision {
    std::int64_t time_ms = 0;
    std::int32_t current = 0;
    std::int32_t status = -1;  // existing pods; -1: equal to current
    std::int32_t ready = -1;   // -1: equal to status
    std::int32_t desired = 0;
    std::int32_t proposed = 0;
    std::string limited_by;
    std::string source;
    std::int64_t written_ms = 0;  // when the host had written the size; 0: not logged
};

// The findings of tidy(); counts are totals over all metrics.
struct input_notes {
    std::int64_t points = 0;
    std::int64_t duplicates = 0;  // same metric and time: the last point is used
    std::int64_t unordered = 0;   // after a newer point in the input; sorted
    std::int64_t not_a_number = 0;
    std::int64_t failed_reads = 0;  // of a run log: failed reads
    std::int64_t gaps = 0;          // intervals of more than 1.5 steps
    std::int64_t longest_gap_ms = 0;
    std::int64_t step_ms = 0;        // median interval of the first metric's points; 0: fewer than two points
    std::int64_t skipped_lines = 0;  // of a run log: lines without a decision, or with a decision that was not due
    std::int64_t first_ms = 0;
    std::int64_t last_ms = 0;
};

struct recording {
    std::vector<metric_track> metrics;
    std::vector<size_point> sizes;           // empty: not recorded
    std::vector<logged_decision> decisions;  // of a run log
    bool is_part_of_log = false;             // the log has only changes, or decisions without reasons
    input_notes notes;
    bool tidied = false;
};

// Adds one point; a NaN or an infinity becomes state not_a_number.  E_INVALID for an invalid time, E_LIMIT.
result<void> add_point(recording& recording, std::size_t metric, std::int64_t time_ms, double value);
result<void> add_missing(recording& recording, std::size_t metric, std::int64_t time_ms, sample_state why);
result<void> add_size(recording& recording, std::int64_t time_ms, std::int32_t replicas);

// Adds a scaler's samples with their times; keeps sample_state::empty.
result<void> add_samples(recording& recording, std::size_t metric, std::span<const sample> samples);

// Adds the points of a range query, in order of time.  A missing step means that the query returned nothing: it is recorded
// once per gap, one step after its start.  The step is the smallest interval of two points.
result<void> add_range(recording& recording, std::size_t metric, std::span<const point> points);

// Adds all of `part`; its first metric becomes number `metric` of `whole`.  On E_LIMIT `whole` is unchanged.
result<void> merge(recording& whole, recording part, std::size_t metric);

// Sorts, removes duplicates, measures step and gaps; idempotent.  E_NO_DATA without a point.
result<void> tidy(recording& recording);

// Writes the members "step_ms" to "failed_reads".
void write_quality(json_writer& out, const input_notes& notes);

// Writes {"points":11520,"from":"2026-...","to":"...","step_ms":15000,"gaps":1,...}.
std::string notes_json(const recording& recording);

// Returns the error for a line of a recording's text; lines are numbered from 1.
error at_line(std::int64_t line, const std::string& message);

// Series as CSV: the first column is the time, then one column per metric, and a column `replicas` for the recorded size.
// Strict, with line numbers in errors.  Reads no file.

//     time,s0-prometheus,replicas
//     2026-11-21T10:00:00Z,42.5,3
// Separator: comma, semicolon or tab, as in the first line.  Times: RFC 3339, also with a blank instead of T and then UTC by
// default; Unix seconds (with fraction); Unix milliseconds from 1e11 on.  Values: decimal numbers, NaN, Inf; null: the query
// returned no value; an empty cell: unknown at this time.  Cells may be in double quotes.  The heading is optional; lines
// that begin with # and blank lines are ignored.
// Adds to `recording`; after an error it is incomplete and must be discarded.
result<void> read_csv(std::string_view text, recording& recording);

// Writes a recording as CSV; reading the text gives the same recording.
std::string write_csv(const recording& recording);

// Reads the log of `gputided run` (its stdout: a line for each decision and for the end of each write, docs/decision.md) as a
// recording: each metric's value at each tick, the sizes, and the decisions for comparison.  Reads no file.

// Lines of several scalers are an error unless `name` ("namespace/name") selects a scaler; lines of other scalers are then
// skipped. "": the scaler of the first line.  A line that is not a JSON object is an error with its number.  An incomplete
// last line is skipped, because the log may still be growing.
result<void> read_log(std::string_view text, std::string_view name, recording& recording);

// Tells whether a text looks like such a log: its first line is a JSON object with "desired_replicas" or "write".
bool looks_like_log(std::string_view text);

}  // namespace gputide::replay
