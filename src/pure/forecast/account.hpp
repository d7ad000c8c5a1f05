// The cost of the floor: replica-hours beyond the shadow's, over about a week.
#pragma once

#include "forecast/settings.hpp"

#include <cstdint>

namespace gputide::forecast {

struct account {
    double extra = 0.0;   // X
    double shadow = 0.0;  // B
};

// The sizes that the passes of one slot reported.
struct booking {
    double extra = 0.0;   // Σ(size written - shadow's size)
    double shadow = 0.0;  // Σ shadow's size
    std::int64_t passes = 0;
};

// Updates the account at the end of a slot, if there was a pass and the shadow ran at all, with the means x and y of
// its passes and μ = 1 - slot / week:  X = max(0, X · μ + x), B = B · μ + y.
// The actual size counts, including replicas that tolerance keeps after a raise; the floor alone would miss those.
// Worked: slot 60 s, X = B = 0, 2 of 10 extra for a day: spent 0.2.
void end_slot(account& account, const booking& booking, double slot_s) noexcept;

// Returns X / B, a share of the shadow's replica-hours; 0 while there are none.
double spent(const account& account) noexcept;

struct purse {
    double trim = 0.0;      // κ, 0..1: how much of the band the budget takes back
    bool is_spent = false;  // the budget is used up: the floor is off
};

// Computes κ = clip((spent / budget - 0.5) / 0.5, 0, 1), 0 without a budget.  Worked: 3.5 % of 5 % → (0.7 - 0.5) / 0.5
// = 0.4.
purse purse_of(const settings& settings, const account& account) noexcept;

}  // namespace gputide::forecast
