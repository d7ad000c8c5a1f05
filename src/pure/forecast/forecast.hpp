// Forecasts the load for the next start-up time, learned from past loads: the current load plus five weighted parts
// (patterns of day, week and hour, trend, noise), a band around it, a score against "the load stays the same", and an
// account of its cost.
// In: a time and a load per pass, and the sizes that were written.  Out: a load to prepare for, or none, and the
// reason.
// Pure: no I/O, no clock, no allocation; the same bits on every machine.  It never scales anything itself (floor.hpp).
#pragma once

#include "forecast/memory.hpp"
#include "forecast/settings.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::forecast {

// Runs one pass: ends the slots before now_ms, learns from them and forecasts.  `load`: the total load to serve; NaN,
// infinite and negative: no reading.  `settings` are the same at every pass, or as given to change().
void read(memory& memory, const settings& settings, std::int64_t now_ms, double load) noexcept;

// Records a pass's result: the size that was written, and the shadow's.
void book(memory& memory, double replicas, double shadow_replicas) noexcept;

// Applies new settings.  Another slot length: everything starts anew.  Another lead: profiles, levels, peak and account
// stay, what was learned and scored at the old lead is dropped.
void change(memory& memory, const settings& before, const settings& now) noexcept;

enum class state : std::int32_t { none = 0, warming = 1, off = 2, spent = 3, on = 4 };
std::string_view name(state state) noexcept;  // "" for an unknown number

state state_of(const memory& memory, const settings& settings) noexcept;

// All values of the last finished slot, for display; a missing value is `no_number`.
struct report {
    gputide::forecast::state state = forecast::state::warming;
    std::int64_t ahead_ms = 0;  // from the start of a slot to the start of the slot that it forecasts
    std::int64_t at_ms = 0;     // start of the forecast slot
    bool has_said = false;      // false: the last slot had no reading, and there is no forecast
    double value = no_number;
    double forecast = no_number;
    double upper = no_number;
    double requested_load = no_number;
    double floor_load = no_number;     // the largest requested load of the slots that are not over
    gputide::forecast::parts parts{};  // weight · factor; they add up to forecast - value, if that is not below 0
    gputide::forecast::parts weights{};
    double band = 0.0;         // upper - forecast, as it is now
    double error = no_number;  // means of about the last day at this lead
    double error_last_value = no_number;
    double held = no_number;  // share of slots in which the upper edge held
    double skill = 0.0;
    double spent = 0.0;  // a share, not percent
    double trim = 0.0;
    std::int64_t scored = 0;
    std::int64_t late = 0;
};

report report_of(const memory& memory, const settings& settings) noexcept;

// The forecast of one slot that is not over yet.
struct said {
    std::int64_t at_ms = 0;  // its start
    double forecast = 0.0;
    double upper = 0.0;
    double requested_load = no_number;  // missing: none requested
};

// Returns the slots from the next one to the one a lead ahead, in order of time; slots without a forecast are left out.
std::vector<said> said_ahead(const memory& memory, const settings& settings);

// Initializes a forecast from past loads, so that it need not start without knowledge.

struct past_load {
    std::int64_t time_ms = 0;
    double load = no_number;  // missing: there was no reading
};

// Starts anew with the past, in order of time, and continues with the open slot: its readings, its sizes and the
// account are kept.  Past loads that are not before that slot are ignored.
void begin_with(memory& memory, const settings& settings, std::span<const past_load> past) noexcept;

}  // namespace gputide::forecast
