#include "replay/summary.hpp"

#include <algorithm>

namespace gputide::replay {
namespace {

void count_change(summary& summary, const step& one, std::int64_t flap_window_ms) noexcept {
    if (one.replicas == one.before) return;
    const std::int32_t direction = one.replicas > one.before ? 1 : -1;
    ++(direction > 0 ? summary.ups : summary.downs);
    if (direction == -summary.last_direction && one.time_ms - summary.last_change_ms <= flap_window_ms) ++summary.flaps;
    summary.last_direction = direction;
    summary.last_change_ms = one.time_ms;
}

}  // namespace

void add(summary& summary, const step& one, const bounds_of_policy& within, std::int64_t flap_window_ms) noexcept {
    if (summary.steps == 0) {
        summary.from_ms = one.time_ms;
        summary.least_replicas = summary.most_replicas = one.replicas;
    }
    ++summary.steps;
    summary.to_ms = one.time_ms + one.lasts_ms;
    if (one.replicas == 0) {
        summary.at_zero_ms += one.lasts_ms;
    } else if (one.replicas <= within.min) {
        summary.at_min_ms += one.lasts_ms;
    }
    if (one.replicas >= within.max) summary.at_max_ms += one.lasts_ms;
    if (one.above) summary.above_ms += one.lasts_ms;
    if (one.recorded_above) summary.recorded_above_ms += one.lasts_ms;
    if (one.saturated) summary.saturated_ms += one.lasts_ms;
    if (one.low_confidence) summary.low_confidence_ms += one.lasts_ms;
    if (one.has_data) summary.with_data_ms += one.lasts_ms;
    if (one.ready < one.replicas) summary.starting_ms += one.lasts_ms;
    const auto lasts = static_cast<double>(one.lasts_ms);
    if (one.has_value) {
        summary.value_ms += one.value * lasts;
        summary.value_time_ms += lasts;
    } else {
        summary.no_value_ms += one.lasts_ms;
    }
    summary.limited_ms[static_cast<std::size_t>(one.limited_by)] += one.lasts_ms;
    count_change(summary, one, flap_window_ms);
    summary.least_replicas = std::min(summary.least_replicas, one.replicas);
    summary.most_replicas = std::max(summary.most_replicas, one.replicas);
    summary.last_replicas = one.replicas;
    summary.replica_ms += one.replicas * lasts;
}

// Converts to GPU-hours: 3 replicas of 2 GPUs for 90 minutes: 3 * 5,400,000 ms * 2 / 3,600,000 = 9 GPU-hours.
double gpu_hours(const summary& summary, std::int64_t gpus_per_replica_milli) noexcept {
    return summary.replica_ms / 3'600'000.0 * static_cast<double>(gpus_per_replica_milli) / 1000.0;
}

}  // namespace gputide::replay
