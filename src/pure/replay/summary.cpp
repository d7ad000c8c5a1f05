#include "replay/summary.hpp"

#include <algorithm>

namespace gputide::replay {

namespace {

void count_change(summary& summary, const step& step, std::int64_t flap_window_ms) noexcept {
    if (step.replicas == step.before) return;
    const std::int32_t direction = step.replicas > step.before ? 1 : -1;
    ++(direction > 0 ? summary.ups : summary.downs);
    if (direction == -summary.last_direction && step.time_ms - summary.last_change_ms <= flap_window_ms)
        ++summary.flaps;
    summary.last_direction = direction;
    summary.last_change_ms = step.time_ms;
}

}  // namespace

void add(summary& summary, step& step, const bounds_of_policy& within, std::int64_t flap_window_ms) noexcept {
    if (summary.steps == 0) {
        summary.from_ms = step.time_ms;
        summary.lowest_replicas = summary.peak_replicas = step.replicas;
    }
    ++summary.steps;
    summary.to_ms = step.time_ms + step.lasts_ms;
    step.is[at_zero] = step.replicas == 0;
    step.is[at_min] = step.replicas != 0 && step.replicas <= within.min;
    step.is[at_max] = step.replicas >= within.max;
    step.is[starting] = step.ready < step.replicas;
    step.is[without_value] = !step.has_value;
    for (std::size_t i = 0; i < summary.ms.size(); ++i) {
        if (step.is[i]) summary.ms[i] += step.lasts_ms;
    }
    const auto lasts = static_cast<double>(step.lasts_ms);
    if (step.has_value) {
        summary.value_ms += step.value * lasts;
        summary.value_time_ms += lasts;
    }
    summary.limited_ms[static_cast<std::size_t>(step.limited_by)] += step.lasts_ms;
    count_change(summary, step, flap_window_ms);
    summary.lowest_replicas = std::min(summary.lowest_replicas, step.replicas);
    summary.peak_replicas = std::max(summary.peak_replicas, step.replicas);
    summary.last_replicas = step.replicas;
    summary.replica_ms += step.replicas * lasts;
}

// Converts to GPU-hours.  Example: 3 replicas of 2 GPUs for 90 minutes: 3 * 5,400,000 ms * 2 / 3,600,000 = 9 GPU-hours.
double gpu_hours(const summary& summary, std::int64_t gpus_per_replica_milli) noexcept {
    return summary.replica_ms / 3'600'000.0 * static_cast<double>(gpus_per_replica_milli) / 1000.0;
}

namespace {

chart_point point_of(const step& step) {
    chart_point out;
    out.time_ms = step.time_ms;
    if (step.has_value) out.value_low = out.value_high = out.value_sum = step.value;
    out.values = step.has_value ? 1 : 0;
    out.raw = step.raw;
    out.replicas = step.replicas;
    out.ready = step.ready;
    out.above = step.is[above] ? 1 : 0;
    out.saturated = step.is[saturated];
    out.low_confidence = step.is[low_confidence];
    out.recorded = step.recorded;
    return out;
}

void join(chart_point& best, const chart_point& point) {
    if (point.has_value()) {
        best.value_low = best.has_value() ? std::min(best.value_low, point.value_low) : point.value_low;
        best.value_high = best.has_value() ? std::max(best.value_high, point.value_high) : point.value_high;
        best.value_sum += point.value_sum;
        best.values += point.values;
    }
    best.raw = std::max(best.raw, point.raw);
    best.replicas = std::max(best.replicas, point.replicas);
    best.ready = std::min(best.ready, point.ready);
    best.steps += point.steps;
    best.above += point.above;
    best.saturated = best.saturated || point.saturated;
    best.recorded = std::max(best.recorded, point.recorded);
    best.low_confidence = best.low_confidence || point.low_confidence;
}

void halve(std::vector<chart_point>& points) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size(); i += 2) {
        chart_point point = points[i];
        if (i + 1 < points.size()) join(point, points[i + 1]);
        points[kept++] = point;
    }
    points.resize(kept);
}

}  // namespace

void chart::add(const step& step) {
    if (max_count_ == 0) return;
    if (steps_in_last_ > 0 && steps_in_last_ < steps_per_point_) {
        join(points_.back(), point_of(step));
        ++steps_in_last_;
        return;
    }
    if (points_.size() >= std::max<std::size_t>(max_count_, 2)) {
        const bool odd = points_.size() % 2 == 1;
        halve(points_);
        steps_per_point_ *= 2;
        if (odd) {  // the last point has only one step
            join(points_.back(), point_of(step));
            steps_in_last_ = steps_per_point_ / 2 + 1;
            return;
        }
    }
    points_.push_back(point_of(step));
    steps_in_last_ = 1;
}

}  // namespace gputide::replay
