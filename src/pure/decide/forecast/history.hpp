// gputide.io/forecast-history: the past that a new forecast needs and the result of learning from it.  The caller reads the
// past from a source or a recording.  Also writes a forecast as JSON.
#pragma once

#include "base/json_writer.hpp"
#include "base/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gputide::decide {

struct load_forecast;
struct policy;
struct state;

// The past to read: both ends included, one sample per step; a step is a slot of the forecast.
struct history_span {
    std::size_t metric = 0;
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::int64_t step_ms = 0;

    std::int64_t steps() const noexcept { return (to_ms - from_ms) / step_ms + 1; }
};

enum class history_outcome : std::int32_t {
    none = 0,      // not requested, or not read yet
    read = 1,      // `slots` and `missing` have the counts
    empty = 2,     // the past has no value
    failed = 3,    // the read failed with status `why`
    no_past = 4,   // the metric's source cannot return past values
    no_total = 5,  // the load is the metric times the replicas, and past replicas are unknown; or a formula
};

// The result of reading the past, for display; not part of a saved state.
struct history_note {
    history_outcome outcome = history_outcome::none;
    status why = status::ok;
    std::int64_t from_ms = 0;  // of the requested past
    std::int64_t to_ms = 0;
    std::int64_t slots = 0;  // slots with a value
    std::int64_t missing = 0;
};

// Returns the past to read.  Returns nothing without the annotation, or if a forecast was scored for an hour: it then knows
// more than a past without replica counts.  If the load cannot be computed from the past, the state's note says so.
std::optional<history_span> wanted_history(const policy& policy, state& state, std::int64_t now_ms);

// Learns from one sample per step of `over`, ordered by time.  A sample with any state except ok gives its slot no reading.
void learn_history(const policy& policy, state& state, const history_span& over, std::span<const sample> past);

// Records that the past could not be read; scaling continues without it.
void miss_history(state& state, const history_span& over, history_outcome outcome, status why) noexcept;

// Writes "history": {...}; nothing if no past was requested.
void write_history(json_writer& out, const history_note& note);

// Writes members into an open JSON object: the forecast and its score, the result of its history, and need and shadow of the
// last pass.  Unknown values are left out.
void write_forecast(json_writer& out, const load_forecast& forecast);

}  // namespace gputide::decide
