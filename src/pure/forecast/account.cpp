#include "forecast/account.hpp"

#include "forecast/arithmetic.hpp"

#include <algorithm>

namespace gputide::forecast {

void end_slot(account& account, const booking& booking, double slot_s) noexcept {
    if (booking.passes == 0) return;
    const auto passes = static_cast<double>(booking.passes);
    const double extra = booking.extra / passes;
    const double shadow = booking.shadow / passes;
    if (!(shadow > 0)) return;
    const double kept = 1 - slot_s / week_s;
    account.extra = std::max(0.0, account.extra * kept + extra);
    account.shadow = account.shadow * kept + shadow;
}

double spent(const account& account) noexcept { return account.shadow > 0 ? account.extra / account.shadow : 0.0; }

purse purse_of(const settings& settings, const account& account) noexcept {
    if (!settings.has_budget) return {};
    const double budget = settings.budget_percent / 100;
    const double share = spent(account);
    return {clip((share / budget - 0.5) / 0.5, 0, 1), share >= budget};
}

}  // namespace gputide::forecast
