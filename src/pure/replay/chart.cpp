#include "replay/chart.hpp"

#include <algorithm>

namespace gputide::replay {
namespace {

chart_point point_of(const step& step) {
    return {step.time_ms, step.value, step.value,     step.has_value,      step.raw,     step.replicas,
            step.ready,   step.above, step.saturated, step.low_confidence, step.recorded};
}

void join(chart_point& best, const chart_point& point) {
    if (point.has_value) {
        best.value_low = best.has_value ? std::min(best.value_low, point.value_low) : point.value_low;
        best.value_high = best.has_value ? std::max(best.value_high, point.value_high) : point.value_high;
        best.has_value = true;
    }
    best.raw = std::max(best.raw, point.raw);
    best.replicas = std::max(best.replicas, point.replicas);
    best.ready = std::min(best.ready, point.ready);
    best.above = best.above || point.above;
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
    if (most_ == 0) return;
    if (steps_in_last_ > 0 && steps_in_last_ < steps_per_point_) {
        join(points_.back(), point_of(step));
        ++steps_in_last_;
        return;
    }
    if (points_.size() >= std::max<std::size_t>(most_, 2)) {
        const bool odd = points_.size() % 2 == 1;
        halve(points_);
        steps_per_point_ *= 2;
        if (odd) {  // the last point is incomplete
            join(points_.back(), point_of(step));
            steps_in_last_ = steps_per_point_ / 2 + 1;
            return;
        }
    }
    points_.push_back(point_of(step));
    steps_in_last_ = 1;
}

}  // namespace gputide::replay
