// Rate limit and bounds; see bounds.hpp.
#include "decide/hpa/bounds.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

bounded grow(const rules_view& rules, std::int32_t current, std::int32_t desired, std::int32_t max,
             const event_history& events) noexcept {
    bounded out;
    out.rate = up_limit(rules, current, events);
    const std::int32_t limit = std::max(out.rate.replicas, current);
    const std::int32_t top = std::min(limit, max);
    out.replicas = std::min(desired, top);
    if (desired > top) out.why = max > limit ? reason::scale_up_limit : reason::too_many_replicas;
    return out;
}

bounded shrink(const rules_view& rules, std::int32_t current, std::int32_t desired, std::int32_t min,
               const event_history& events) noexcept {
    bounded out;
    out.rate = down_limit(rules, current, events);
    const std::int32_t limit = std::min(out.rate.replicas, current);
    const std::int32_t bottom = std::max(limit, min);
    out.replicas = std::max(desired, bottom);
    if (desired < bottom) out.why = min < limit ? reason::scale_down_limit : reason::too_few_replicas;
    return out;
}

}  // namespace

bounded bound_legacy(std::int32_t current, std::int32_t desired, const replica_bounds& within,
                     std::int32_t limit) noexcept {
    const bool rate_rules = within.max > limit;
    const std::int32_t top = rate_rules ? limit : within.max;
    bounded out;
    out.rate = {limit, -1, current};
    out.replicas = desired;
    if (desired < within.min) {
        out.replicas = within.min;
        out.why = reason::too_few_replicas;
    } else if (desired > top) {
        out.replicas = top;
        out.why = rate_rules ? reason::scale_up_limit : reason::too_many_replicas;
    }
    return out;
}

bounded bound(const behavior_view& rules, std::int32_t current, std::int32_t desired, const replica_bounds& within,
              const event_history& events) noexcept {
    if (desired > current) return grow(rules.up, current, desired, within.max, events);
    if (desired < current) return shrink(rules.down, current, desired, within.min, events);
    bounded out;
    out.replicas = desired;
    out.rate = {current, -1, current};
    return out;
}

}  // namespace gputide::decide
