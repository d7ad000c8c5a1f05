#include "inside/vpa_updater.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace conformance::vpa_updater {
namespace {

constexpr std::array update_verdict_names{"yes",      "mode", "no_start_time", "short_lived", "small_difference",
                                          "no_change"};

}  // namespace

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

}  // namespace conformance::vpa_updater
