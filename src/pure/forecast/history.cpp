#include "forecast/history.hpp"

#include "forecast/arithmetic.hpp"
#include "forecast/forecast.hpp"

namespace gputide::forecast {

void begin_with(memory& memory, const settings& settings, std::span<const past_load> past) noexcept {
    gputide::forecast::memory next;
    const open_slot& open = memory.open;
    for (const past_load& load : past) {
        if (open.begun && floor_div(load.time_ms, settings.slot_ms) >= open.number) break;
        read(next, settings, load.time_ms, load.load);
    }
    if (open.begun) {
        read(next, settings, open.number * settings.slot_ms, no_number);  // ends the last past slot
        next.open = open;
    }
    next.booked = memory.booked;
    next.account = memory.account;
    memory = next;
}

}  // namespace gputide::forecast
