// A fresh state, with room for what the policy's windows and periods can hold, so that steady ticks never allocate.
#include "decide/decide.hpp"
#include "decide/forecast/pass.hpp"
#include "decide/hpa/behavior_view.hpp"
#include "decide/hpa/events.hpp"
#include "decide/saturate.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

constexpr std::int64_t usual_period_ms = 15'000;

// One pass stores one entry and reuses one expired slot, so that a window holds at most window / period + 2 of them: both
// ends, and the one that expires while the next is stored.  Worked: 300 s, 15 s → 22.
std::size_t entries_within(std::int64_t window_s, std::int64_t period_ms, std::size_t most) {
    const std::int64_t every_ms = period_ms > 0 ? period_ms : usual_period_ms;
    return std::min(static_cast<std::size_t>(window_s * 1000 / every_ms + 2), most);
}

}  // namespace

state make_state(const policy& policy, std::int64_t created_ms) {
    const behavior_view rules = behavior_of(policy);
    const std::int64_t period_ms = policy.scaling.extra.sync_period_ms;
    const std::int32_t window_s =
        rules.present ? std::max(rules.up.window_s, rules.down.window_s) : policy.scaling.controller.downscale_window_s;
    state out;
    out.created_ms = created_ms == absent ? policy.scaling.created_ms.value_or(absent) : created_ms;
    if (out.created_ms != absent) out.created_ms = sane_time(out.created_ms);
    out.newest_ms = out.created_ms;
    out.health.resize(policy.metrics.size());
    out.recommendations.reserve(entries_within(window_s, period_ms, max_recommendations));
    if (rules.present) {
        out.ups.reserve(entries_within(longest_period_s(rules.up), period_ms, max_scale_events));
        out.downs.reserve(entries_within(longest_period_s(rules.down), period_ms, max_scale_events));
    }
    out.confirmations.reserve(static_cast<std::size_t>(std::max(0, policy.scaling.extra.confirm_n)));
    if (!policy.forecast) return out;
    prepare_forecast(policy, out);
    state& shadow = out.forecast.front().shadow;
    shadow.recommendations.reserve(out.recommendations.capacity());
    shadow.ups.reserve(out.ups.capacity());
    shadow.downs.reserve(out.downs.capacity());
    shadow.confirmations.reserve(out.confirmations.capacity());
    return out;
}

}  // namespace gputide::decide
