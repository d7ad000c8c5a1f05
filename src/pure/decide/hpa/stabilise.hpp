// Stabilisation: what recent recommendations still hold the size back.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (stabilizeRecommendation,
// stabilizeRecommendationWithBehaviors).
#pragma once

#include "decide/decision.hpp"
#include "decide/state/history.hpp"

#include <cstdint>

namespace gputide::decide {

struct stabilised {
    std::int32_t replicas = 0;
    bool changed = false;       // replicas is not what the metrics ask for
    reason why = reason::none;  // of AbleToScale, where changed
    std::int32_t held_by = 0;   // where changed: the recommendation that held it
};

// Without behaviour.  cutoff = now - window; out = the greatest of raw and of the entries with t >= cutoff (an entry exactly
// window old still counts); raw then goes into the last slot with t < cutoff, else to the end.
// Worked: window 300 s, history 10 (600 s old), 4 (60), 5 (120), 9 (540), raw 3 → 5; history becomes 10, 4, 5, 3.
stabilised stabilise_legacy(recommendation_history& history, std::int32_t raw, std::int32_t window_s,
                            std::int64_t now_ms);

// With behaviour.  Entries count where t > now - window, strictly (one exactly window old does not).
//   up = the least of raw and of the entries in the up window, down = the greatest of raw and of those in the down window
//   out = current, raised to up, lowered to down: inside the recent range nothing moves
// raw then goes into the last slot that is older than both windows, else to the end.
// Worked: down window 180 s, history 4 (120 s), 5 (60 s), current 100, raw 3 → down 5 → 5; history 4, 5, 3.
stabilised stabilise(recommendation_history& history, std::int32_t current, std::int32_t raw, std::int32_t up_window_s,
                     std::int32_t down_window_s, std::int64_t now_ms);

// When a size was last recommended; absent: it is not in the history.
std::int64_t last_recommended_ms(const recommendation_history& history, std::int32_t replicas) noexcept;

}  // namespace gputide::decide
