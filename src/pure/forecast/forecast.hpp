// Forecasts the load one start-up time ahead, learned from past loads: the current load plus five weighted parts (patterns of
// day, week and hour, trend, noise), with a band around it, a score against the forecast "the load stays the same", and an
// account of its cost.
// Takes a time and a load per pass, and the written sizes; returns a load to prepare for, or the reason why not.
// Pure: no I/O, no clock, no allocation; results are bit-identical on every machine. floor_of() computes replicas from the load.
#pragma once

#include "forecast/memory.hpp"
#include "forecast/settings.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gputide::forecast {

// Runs one pass: closes the slots before now_ms, learns from them and forecasts. `load`: the total load to serve; NaN,
// infinite or negative: no reading. `settings` must be those of the previous pass, or of the last change().
void read(memory& memory, const settings& settings, std::int64_t now_ms, double load) noexcept;

// Records a pass's result: the replicas written, and the replicas that the shadow, without the forecast, would have written.
void book(memory& memory, double replicas, double shadow_replicas) noexcept;

// Applies new settings.  With another slot length everything starts again.  With another lead, profiles, levels, peak and
// account are kept; everything learned and scored at the old lead is dropped.
void change(memory& memory, const settings& before, const settings& now) noexcept;

enum class state : std::int32_t { none = 0, warming = 1, off = 2, spent = 3, on = 4 };
std::string_view name(state state) noexcept;  // "" for an unknown number

state state_of(const memory& memory, const settings& settings) noexcept;

// All values of the last finished slot, for display; a missing value is `no_number`.
struct report {
    gputide::forecast::state state = forecast::state::warming;
    std::int64_t ahead_ms = 0;  // from the start of a slot to the start of the slot that it forecasts
    std::int64_t at_ms = 0;     // start of the forecast slot
    bool has_forecast = false;  // false: no forecast, because the last slot had no reading
    double value = no_number;
    double forecast = no_number;
    double upper = no_number;
    double requested_load = no_number;
    double floor_load = no_number;  // largest requested load of the slots that have not ended
    // Weight · factor; their sum is forecast - value, unless the forecast was raised to 0.
    gputide::forecast::parts parts{};
    gputide::forecast::parts weights{};
    double band = 0.0;         // current upper - forecast
    double error = no_number;  // mean over about the last day at this lead
    double error_last_value = no_number;
    double held = no_number;  // share of slots with a load of at most `upper`
    double skill = 0.0;
    double spent = 0.0;  // extra replica-hours as a share (0..1) of the replica-hours without forecast
    double trim = 0.0;
    std::int64_t scored = 0;
    std::int64_t late = 0;
};

report report_of(const memory& memory, const settings& settings) noexcept;

// The forecast of one slot that has not ended.
struct slot_forecast {
    std::int64_t at_ms = 0;  // start of the slot
    double forecast = 0.0;
    double upper = 0.0;
    double requested_load = no_number;  // missing: no load requested
};

// Returns the forecasts from the next slot to the slot one lead ahead, in order of time; slots without a forecast are left
// out.
std::vector<slot_forecast> forecasts_ahead(const memory& memory, const settings& settings);

// Initializes a forecast from past loads.

struct past_load {
    std::int64_t time_ms = 0;
    double load = no_number;  // missing: no reading
};

// Restarts the forecast from the past, in order of time, and then continues with the open slot: its readings, its sizes and
// the account are kept.  Past loads of the open slot or later are ignored.
void begin_with(memory& memory, const settings& settings, std::span<const past_load> past) noexcept;

// ---- the floor of a reactive size: it only raises the size, not from zero and not above max

enum class floor_reason : std::int32_t {
    none = 0,  // no floor was computed
    raised = 1,
    within_reactive = 2,
    capped_by_max = 3,
    capped_by_raise = 4,
    observe = 5,
    warming_up = 6,
    not_better = 7,
    budget_spent = 8,
    no_recent_value = 9,
    at_zero = 10,
};
std::string_view name(floor_reason reason) noexcept;  // "" for an unknown number

struct floor_input {
    double floor_load = no_number;
    gputide::forecast::state state = forecast::state::warming;
    double target = 1.0;  // load per replica, > 0
    std::int32_t reactive = 0;
    std::int32_t current = 0;
    std::int32_t max = 0;
};

struct floor_result {
    std::int32_t replicas = 0;  // at least reactive
    std::int32_t need = -1;     // replicas for the floor load; -1: no floor load
    floor_reason reason = floor_reason::none;

    bool raised(std::int32_t reactive) const noexcept { return replicas > reactive; }
};

// Computes need = ceil(floor load / target), limited to int32; want = min(need, ceil(reactive · (100 + max_raise) / 100),
// max).
// Example: 117.39 at target 10 → 12; reactive 10, cap 30, max 40 → 12, raised.
floor_result floor_of(const floor_input& input, const settings& settings) noexcept;

}  // namespace gputide::forecast
