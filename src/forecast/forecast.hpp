// The load of the next start-up time, learned from the loads that came: the load now plus five weighted parts (day's, week's and
// hour's pattern, trend, noise), a band around it, a score against "nothing will change", and an account of what it cost.
// In: a time and a load per pass, and the sizes that were written.  Out: a load to be ready for, or none, and why.
// Pure: no I/O, no clock, no allocation; the same bits on every machine.  Never scales anything itself (floor.hpp).
#pragma once

#include "forecast/memory.hpp"

#include <cstdint>
#include <vector>

namespace gputide::forecast {

// One pass: ends the slots before now_ms, learns from them and says what comes.  `load`: what must be served in total;
// NaN, infinite and negative: no reading.  `settings` are the same at every pass, or as change() was told.
void read(memory& memory, const settings& settings, std::int64_t now_ms, double load) noexcept;

// After the decision of a pass: the size that was written, and the shadow's.
void book(memory& memory, double replicas, double shadow_replicas) noexcept;

// The settings are others from now on.  Another slot: everything starts anew.  Another lead: profiles, levels, peak and account
// stay, what was learned and scored at the old lead goes.
void change(memory& memory, const settings& before, const settings& now) noexcept;

enum class state : std::int32_t { none = 0, warming = 1, off = 2, spent = 3, on = 4 };
std::string_view name(state state) noexcept;  // "" for another number

state state_of(const memory& memory, const settings& settings) noexcept;

// All of it for somebody who looks, of the last slot that ended; a number that there is not is `no_number`.
struct report {
    gputide::forecast::state state = forecast::state::warming;
    std::int64_t ahead_ms = 0;  // from the begin of a slot to that of the one it speaks of
    std::int64_t at_ms = 0;     // begin of the slot that it speaks of
    bool has_said = false;      // false: the last slot had no reading, and of these there is none
    double value = no_number;
    double forecast = no_number;
    double upper = no_number;
    double requested_load = no_number;
    double floor_load = no_number;     // the largest requested load whose slot is not over
    gputide::forecast::parts parts{};  // weight · factor; they add up to forecast - value, where that is not below 0
    gputide::forecast::parts weights{};
    double band = 0.0;         // upper - forecast, as it is now
    double error = no_number;  // means of about the last day at this lead
    double error_last_value = no_number;
    double held = no_number;  // how often the upper edge held
    double skill = 0.0;
    double spent = 0.0;  // a share, not percent
    double trim = 0.0;
    std::int64_t scored = 0;
    std::int64_t late = 0;
};

report report_of(const memory& memory, const settings& settings) noexcept;

// What was said of one slot that is not over yet.
struct said {
    std::int64_t at_ms = 0;  // its begin
    double forecast = 0.0;
    double upper = 0.0;
    double requested_load = no_number;  // none: nothing
};

// Of the slots from the next one to the one a lead ahead, in order of time; those of which nothing was said are left out.
std::vector<said> said_ahead(const memory& memory, const settings& settings);

}  // namespace gputide::forecast
