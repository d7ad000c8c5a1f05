// Groups readings by time slot: the mean of a slot's readings is available when a later slot begins.
#pragma once

#include "forecast/arithmetic.hpp"

#include <cstdint>

namespace gputide::forecast {

// Squares and sums of loads must stay finite, so larger loads are ignored, as are NaN, infinite and negative numbers.
inline constexpr double largest_reading = 1e100;

struct open_slot {
    bool begun = false;       // false: no pass yet
    std::int64_t number = 0;  // floor(time / slot)
    double sum = 0.0;         // of its readings, in order of arrival
    std::int64_t count = 0;
    std::int64_t late = 0;  // readings ignored because their slot had ended, in total
};

enum class passage {
    same,      // the open slot, or the very first one
    ended,     // a later slot: the open one has ended
    late,      // an earlier slot that has ended: this pass is ignored
    set_back,  // the clock was set back by more than h slots: all rows are invalid
};

struct slot_end {
    gputide::forecast::passage passage = passage::same;
    std::int64_t number = 0;   // the slot that ended, if passage is ended
    double mean = no_number;   // of its readings; missing if there were none
    std::int64_t missing = 0;  // number of slots without a pass after it; of a longer gap h, the rest is skipped
};

// Records a pass in slot `number`, which becomes the open slot unless it is late.
// Worked: h = 2, open 541 with readings 2 and 4, pass in 544 → ended 541, mean 3, missing 2 (542, 543).
slot_end enter(open_slot& slot, std::int64_t number, std::int64_t slots_ahead) noexcept;

void add_reading(open_slot& slot, double value) noexcept;

}  // namespace gputide::forecast
