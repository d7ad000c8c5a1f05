// Initializes a forecast from past loads, so that it need not start without knowledge.
#pragma once

#include "forecast/memory.hpp"
#include "forecast/settings.hpp"

#include <cstdint>
#include <span>

namespace gputide::forecast {

struct past_load {
    std::int64_t time_ms = 0;
    double load = no_number;  // missing: there was no reading
};

// Starts anew with the past, in order of time, and continues with the open slot: its readings, its sizes and the
// account are kept.  Past loads that are not before that slot are ignored.
void begin_with(memory& memory, const settings& settings, std::span<const past_load> past) noexcept;

}  // namespace gputide::forecast
