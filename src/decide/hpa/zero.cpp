// Zero replicas under an autoscaling/v2 manifest; see zero.hpp.  Under KEDA the HPA's minimum is 1 or more, so that nothing
// here ever moves a ScaledObject.
#include "decide/hpa/zero.hpp"

#include "decide/state/conditions.hpp"

#include <algorithm>
#include <charconv>

namespace gputide::decide {

namespace {

bool has_object_or_external(const policy& policy) noexcept {
    return std::any_of(policy.metrics.begin(), policy.metrics.end(),
                       [](const metric_policy& one) { return is_one_number(one.kind); });
}

}  // namespace

zero_mode zero_mode_of(std::string_view hpa_version) noexcept {
    int major = 0;
    int minor = 0;
    const char* const end = hpa_version.data() + hpa_version.size();
    const auto [dot, bad_major] = std::from_chars(hpa_version.data(), end, major);
    if (bad_major != std::errc{} || dot == end || *dot != '.') return zero_mode::by_condition;
    const auto [rest, bad_minor] = std::from_chars(dot + 1, end, minor);
    if (bad_minor != std::errc{}) return zero_mode::by_condition;
    return major < 1 || (major == 1 && minor < 36) ? zero_mode::by_minimum : zero_mode::by_condition;
}

bool leaves_zero(const policy& policy, const state& state, std::int32_t min) noexcept {
    if (zero_mode_of(policy.scaling.extra.hpa_version) == zero_mode::by_minimum) return min == 0;
    return state.scaled_to_zero && (min != 0 || has_object_or_external(policy));
}

std::int32_t raised_from_zero(const policy& policy, const state& state, std::int32_t desired,
                              std::int32_t min) noexcept {
    const bool own_zero =
        state.scaled_to_zero && zero_mode_of(policy.scaling.extra.hpa_version) == zero_mode::by_condition;
    return own_zero ? std::max(desired, min) : desired;
}

void note_zero(const policy& policy, state& state, std::int32_t before, std::int32_t after, std::int32_t min,
               std::int64_t now_ms) noexcept {
    const bool gate = policy.scaling.controller.scale_to_zero || min == 0 || state.scaled_to_zero;
    if (!gate || zero_mode_of(policy.scaling.extra.hpa_version) == zero_mode::by_minimum) {
        state.scaled_to_zero = false;
        return remove_condition(state.conditions, condition_type::scaled_to_zero);
    }
    state.scaled_to_zero = before > 0 && after == 0 && min == 0 && has_object_or_external(policy);
    set_condition(state.conditions, condition_type::scaled_to_zero, state.scaled_to_zero ? truth::yes : truth::no,
                  state.scaled_to_zero ? reason::scaled_to_zero : reason::not_scaled_to_zero, now_ms);
}

}  // namespace gputide::decide
