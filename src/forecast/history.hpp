// A start that is not cold: the loads of the past, told at once to a forecast that has learned nothing yet.
#pragma once

#include "forecast/memory.hpp"
#include "forecast/settings.hpp"

#include <cstdint>
#include <span>

namespace gputide::forecast {

struct past_load {
    std::int64_t time_ms = 0;
    double load = no_number;  // none: there was no reading
};

// Starts anew with the past, in order of time, and goes on with the slot that is open: its readings, its bookings and the account
// stay.  What of the past is not before that slot is left out.
void begin_with(memory& memory, const settings& settings, std::span<const past_load> past) noexcept;

}  // namespace gputide::forecast
