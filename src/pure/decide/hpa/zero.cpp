// Zero replicas under an autoscaling/v2 manifest; see zero.hpp.  Under KEDA the HPA's minimum is 1 or more, so that nothing
// here ever moves a ScaledObject.
#include "decide/hpa/zero.hpp"

#include "decide/state/conditions.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

bool has_object_or_external(const policy& policy) noexcept {
    return std::any_of(policy.metrics.begin(), policy.metrics.end(),
                       [](const metric_policy& one) { return is_one_number(one.kind); });
}

bool is_decided_by_condition(const policy& policy) noexcept {
    return config::holds(config::version_rule::leaves_own_zero_only, policy.scaling.controller.versions);
}

bool has_condition(const policy& policy) noexcept {
    return is_decided_by_condition(policy) && policy.scaling.controller.can_scale_to_zero();
}

void forget_zero(state& state) noexcept {
    state.scaled_to_zero = false;
    remove_condition(state.conditions, condition_type::scaled_to_zero);
}

}  // namespace

bool leaves_zero(const policy& policy, const state& state, std::int32_t min) noexcept {
    if (!is_decided_by_condition(policy)) return min == 0;
    return has_condition(policy) && state.scaled_to_zero && (min != 0 || has_object_or_external(policy));
}

std::int32_t raised_from_zero(const policy& policy, const state& state, std::int32_t desired,
                              std::int32_t min) noexcept {
    return state.scaled_to_zero && has_condition(policy) ? std::max(desired, min) : desired;
}

void note_zero(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int32_t min,
               std::int64_t now_ms) noexcept {
    if (!has_condition(policy)) return forget_zero(state);
    state.scaled_to_zero = before > 0 && after == 0 && min == 0 && has_object_or_external(policy);
    set_condition(state.conditions, condition_type::scaled_to_zero, state.scaled_to_zero ? truth::yes : truth::no,
                  state.scaled_to_zero ? reason::scaled_to_zero : reason::not_scaled_to_zero, now_ms);
}

void note_disabled_at_zero(const policy& policy, state& state) noexcept {
    if (!has_condition(policy)) forget_zero(state);
}

}  // namespace gputide::decide
