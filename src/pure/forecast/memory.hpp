// The state of one forecast: a value of fixed size, without a pointer.  Copy it to branch, save it to survive
// (text.hpp).
#pragma once

#include "forecast/account.hpp"
#include "forecast/profile.hpp"
#include "forecast/score.hpp"
#include "forecast/slots.hpp"
#include "forecast/weights.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gputide::forecast {

// The forecast made at the end of slot k for slot k + h, kept until that slot is scored.
struct row {
    parts factors{};                    // f
    double value = no_number;           // v of slot k; missing: no forecast
    double forecast = 0.0;              // F
    double upper = 0.0;                 // U
    double upper_last_value = 0.0;      // Un
    double requested_load = no_number;  // the load to prepare for; missing: none

    bool is_empty() const noexcept { return is_none(value); }
};

// Fast and slow mean of the load; missing at first.
struct levels {
    double fast = no_number;  // l
    double slow = no_number;  // g
};

struct memory {
    open_slot open;
    booking booked;  // by the passes of the open slot

    std::int64_t ended = 0;  // the slot of the newest row; only if `begun`
    bool begun = false;      // a slot has ended
    double peak = 0.0;       // M: largest load of about a week
    profile<288> day;        // of 300 s
    profile<336> week;       // of 1800 s
    profile<60> hour;        // of one slot
    gputide::forecast::levels levels;
    gputide::forecast::weights weights;
    gputide::forecast::score score;
    gputide::forecast::account account;
    bool was_spent = false;                    // the budget, when the last row was said
    std::array<row, most_slots_ahead> rows{};  // slot k at k mod h

    double floor_load = no_number;  // largest_requested_load(), which follows from the rows
};

// Computed from the rows; each requested load applies until its slot is over.
double largest_requested_load(const memory& memory) noexcept;
static_assert(sizeof(memory) <= std::size_t{16} * 1024);

}  // namespace gputide::forecast
