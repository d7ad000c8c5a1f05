// Rate limits; see rate.hpp for the formulas and their source.
#include "decide/hpa/rate.hpp"

#include "decide/hpa/events.hpp"
#include "decide/saturate.hpp"

#include <algorithm>
#include <cmath>

namespace gputide::decide {

namespace {

std::int64_t size_at_start(std::int32_t current, std::int32_t period_s, const event_history& events) noexcept {
    return std::int64_t{current} - changed_within(events.ups, period_s, events.now_ms) +
           changed_within(events.downs, period_s, events.now_ms);
}

std::int32_t up_candidate(const config::scaling_policy& one, std::int64_t start) noexcept {
    if (one.type == config::policy_type::pods) return to_int32(start + one.value);
    return ceil_replicas(static_cast<double>(start) * (1 + static_cast<double>(one.value) / 100));
}

std::int32_t down_candidate(const config::scaling_policy& one, std::int64_t start) noexcept {
    if (one.type == config::policy_type::pods) return to_int32(start - one.value);
    return to_int32(static_cast<double>(start) * (1 - static_cast<double>(one.value) / 100));
}

// The candidate that `greatest` asks for; the earlier policy where two are equal.
template <class Candidate>
rate_limit select(const rules_view& rules, std::int32_t current, const event_history& events, bool greatest,
                  Candidate candidate) noexcept {
    rate_limit out{current, -1, current};
    if (rules.select == config::select_policy::disabled) return out;
    for (std::size_t i = 0; i < rules.policies.size(); ++i) {
        const std::int64_t start = size_at_start(current, rules.policies[i].period_s, events);
        const std::int32_t limit = candidate(rules.policies[i], start);
        const bool better = greatest ? limit > out.replicas : limit < out.replicas;
        if (out.policy < 0 || better) out = {limit, static_cast<std::int32_t>(i), to_int32(start)};
    }
    return out;
}

}  // namespace

std::int32_t legacy_up_limit(std::int32_t current, double factor, double least) noexcept {
    return to_int32(std::max(factor * static_cast<double>(current), least));
}

rate_limit up_limit(const rules_view& rules, std::int32_t current, const event_history& events) noexcept {
    return select(rules, current, events, rules.select == config::select_policy::max, up_candidate);
}

rate_limit down_limit(const rules_view& rules, std::int32_t current, const event_history& events) noexcept {
    return select(rules, current, events, rules.select == config::select_policy::min, down_candidate);
}

}  // namespace gputide::decide
