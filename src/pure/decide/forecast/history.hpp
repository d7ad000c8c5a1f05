// gputide.io/forecast-history: which part of the past a forecast that starts wants to be told, and what it made of it.  Who reads
// that past, from a source or a recording, is not known here.
#pragma once

#include "base/json_writer.hpp"
#include "base/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gputide::decide {

struct policy;
struct state;

// Both ends included; one sample per step, a slot of the forecast.
struct history_span {
    std::size_t metric = 0;
    std::int64_t from_ms = 0;
    std::int64_t to_ms = 0;
    std::int64_t step_ms = 0;

    std::int64_t steps() const noexcept { return (to_ms - from_ms) / step_ms + 1; }
};

enum class history_outcome : std::int32_t {
    none = 0,      // nothing was asked for, or nobody has answered yet
    read = 1,      // as far as `slots` and `missing` say
    empty = 2,     // the past holds no value
    failed = 3,    // it could not be read; `why`
    no_past = 4,   // the metric's source keeps none
    no_total = 5,  // the load is the metric times the sizes, which are not in the past; or a formula's result
};

// What became of it; for who looks, not part of a saved state.
struct history_note {
    history_outcome outcome = history_outcome::none;
    status why = status::ok;
    std::int64_t from_ms = 0;  // of what was asked for
    std::int64_t to_ms = 0;
    std::int64_t slots = 0;  // with a value
    std::int64_t missing = 0;
};

// Nothing without the annotation, and once a forecast was scored for an hour: then it knows better than a past without sizes.
// Where the load cannot be had from the past, the state's note says so.
std::optional<history_span> wanted_history(const policy& policy, state& state, std::int64_t now_ms);

// One sample per step of `over`, in order of time; of these with a state other than ok the slot has no reading.
void learn_history(const policy& policy, state& state, const history_span& over, std::span<const sample> past);

// It could not be read; scaling goes on as without it.
void miss_history(state& state, const history_span& over, history_outcome outcome, status why) noexcept;

// "history": {...}; nothing where nothing was asked for.
void write_history(json_writer& out, const history_note& note);

// A scaler's forecast for people and programs.

struct load_forecast;

// Into a JSON object that is open: what it says and how good it has been, what became of its history, and the last pass' need and
// shadow.  A member that there is not is left out.
void write_forecast(json_writer& out, const load_forecast& one);

}  // namespace gputide::decide
