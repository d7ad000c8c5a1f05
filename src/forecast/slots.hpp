// Readings gathered by slot of time: each slot gives the mean of its readings when a later one begins.
#pragma once

#include "forecast/arithmetic.hpp"

#include <cstdint>

namespace gputide::forecast {

// Squares and sums of loads must stay finite, so what is larger is no load: as NaN, infinite and negative numbers, no reading.
inline constexpr double largest_reading = 1e100;

struct open_slot {
    bool begun = false;       // false: no pass yet
    std::int64_t number = 0;  // floor(time / slot)
    double sum = 0.0;         // of its readings, in order of arrival
    std::int64_t count = 0;
    std::int64_t late = 0;  // readings left out as their slot had ended, in all
};

enum class passage {
    same,      // the open slot, or the very first one
    ended,     // a later slot: the open one has ended
    late,      // an earlier slot that has ended: nothing of this pass counts
    set_back,  // the clock was set back by more than h slots: all rows are of a time that never came
};

struct slot_end {
    gputide::forecast::passage passage = passage::same;
    std::int64_t number = 0;   // where passage is ended: the slot that did,
    double mean = no_number;   // of its readings; none: there were none
    std::int64_t missing = 0;  // and how many after it had no pass; of a longer gap h, the rest is skipped
};

// A pass at a time in slot `number`; the open slot after it is that one, unless it is late.
// Worked: h = 2, open 541 with readings 2 and 4, pass in 544 → ended 541, mean 3, missing 2 (542, 543).
slot_end enter(open_slot& slot, std::int64_t number, std::int64_t slots_ahead) noexcept;

void add_reading(open_slot& slot, double value) noexcept;

}  // namespace gputide::forecast
