#include "rightsize/estimate/update.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gputide::rightsize {
namespace {

constexpr std::array mode_names{"Off", "Initial", "Recreate", "Auto", "InPlaceOrRecreate", "InPlace"};
constexpr std::array update_verdict_names{"yes",      "mode", "no_start_time", "short_lived", "small_difference",
                                          "no_change"};

}  // namespace

std::optional<update_mode> update_mode_of(std::string_view word) {
    for (std::size_t i = 0; i < mode_names.size(); ++i)
        if (word == mode_names[i]) return static_cast<update_mode>(i);
    return std::nullopt;
}

const char* update_mode_name(update_mode mode) noexcept { return mode_names[static_cast<std::size_t>(mode)]; }

const char* update_verdict_name(update_verdict verdict) noexcept {
    return update_verdict_names[static_cast<std::size_t>(verdict)];
}

update_priority priority_of(std::span<const requested_resource> resources) {
    update_priority out;
    for (const requested_resource& one : resources) {
        const bool below = one.lower_milli && one.request_milli < one.lower_milli;
        const bool above = one.upper_milli && one.request_milli > one.upper_milli;
        out.outside |= !one.request_milli || below || above;
        out.grows |= !one.request_milli || one.target_milli > *one.request_milli;
        const double request = std::max(static_cast<double>(one.request_milli.value_or(0)), 1.0);
        out.difference += std::fabs(request - static_cast<double>(one.target_milli)) / request;
    }
    return out;
}

bool goes_before(const update_priority& a, const update_priority& b) {
    if (a.grows != b.grows) return a.grows;
    return a.difference > b.difference;
}

update_verdict should_update(update_mode mode, const update_priority& update_priority, const running_pod& pod,
                             std::int64_t now_ms, const update_rules& rules) {
    if (mode == update_mode::off || mode == update_mode::initial) return update_verdict::mode;
    if (!update_priority.outside && !pod.quick_oom) {
        if (!pod.start_ms) return update_verdict::no_start_time;
        if (now_ms < *pod.start_ms + rules.settled_ms) return update_verdict::short_lived;
        if (update_priority.difference < rules.least_difference) return update_verdict::small_difference;
    }
    if (pod.quick_oom && update_priority.difference == 0.0) return update_verdict::no_change;
    return update_verdict::yes;
}

}  // namespace gputide::rightsize
