#include "replay/summary.hpp"

#include <algorithm>

namespace gputide::replay {
namespace {

void count_change(summary& to, const step& one, std::int64_t flap_window_ms) noexcept {
    if (one.replicas == one.before) return;
    const std::int32_t direction = one.replicas > one.before ? 1 : -1;
    ++(direction > 0 ? to.ups : to.downs);
    if (direction == -to.last_direction && one.time_ms - to.last_change_ms <= flap_window_ms) ++to.flaps;
    to.last_direction = direction;
    to.last_change_ms = one.time_ms;
}

}  // namespace

void add(summary& to, const step& one, const bounds_of_policy& within, std::int64_t flap_window_ms) noexcept {
    if (to.steps == 0) {
        to.from_ms = one.time_ms;
        to.least_replicas = to.most_replicas = one.replicas;
    }
    ++to.steps;
    to.to_ms = one.time_ms + one.lasts_ms;
    if (one.replicas == 0) {
        to.at_zero_ms += one.lasts_ms;
    } else if (one.replicas <= within.min) {
        to.at_min_ms += one.lasts_ms;
    }
    if (one.replicas >= within.max) to.at_max_ms += one.lasts_ms;
    if (one.above) to.above_ms += one.lasts_ms;
    if (one.saturated) to.saturated_ms += one.lasts_ms;
    if (one.low_confidence) to.low_confidence_ms += one.lasts_ms;
    if (one.ready < one.replicas) to.starting_ms += one.lasts_ms;
    const auto lasts = static_cast<double>(one.lasts_ms);
    if (one.has_value) {
        to.value_ms += one.value * lasts;
        to.value_time_ms += lasts;
    } else {
        to.no_value_ms += one.lasts_ms;
    }
    to.limited_ms[static_cast<std::size_t>(one.limited_by)] += one.lasts_ms;
    count_change(to, one, flap_window_ms);
    to.least_replicas = std::min(to.least_replicas, one.replicas);
    to.most_replicas = std::max(to.most_replicas, one.replicas);
    to.last_replicas = one.replicas;
    to.replica_ms += one.replicas * lasts;
}

// 3 replicas of 2 GPUs for 90 minutes: 3 * 5,400,000 ms * 2 / 3,600,000 = 9 GPU-hours.
double gpu_hours(const summary& of, std::int64_t gpus_per_replica_milli) noexcept {
    return of.replica_ms / 3'600'000.0 * static_cast<double>(gpus_per_replica_milli) / 1000.0;
}

}  // namespace gputide::replay
