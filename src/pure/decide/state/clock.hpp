// A clock that was set back.  What a state remembers then lies ahead of now: windows would stay full, and budgets spent, for as
// long as the clock was wrong.  The originals wait that long; both profiles here do not.
#pragma once

#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

// Brings every time that is later than now to now, so that a window, a rate period or a cooldown holds at most once more, and
// makes both halves due.  How far the latest of them lay ahead, in milliseconds.  Costs one comparison on the usual tick.
// Worked: a decision at day 2 by mistake, the next at day 1 → its recommendation counts as of day 1 and is gone 300 s later.
std::int64_t set_clock(state& state, std::int64_t now_ms) noexcept;

// The latest time that a state holds; absent: none.  For a state that did not come from decide().
std::int64_t newest_time_of(const state& state) noexcept;

}  // namespace gputide::decide
