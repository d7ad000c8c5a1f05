// A replay's curves with a limited number of points: when there are too many, adjacent points are merged in pairs.
#pragma once

#include "replay/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gputide::replay {

// Several steps merged into one point.  Extremes are kept: a peak of one step stays visible in a year.
struct chart_point {
    std::int64_t time_ms = 0;
    double value_low = 0.0;
    double value_high = 0.0;
    bool has_value = false;
    std::int32_t raw = 0;       // the highest
    std::int32_t replicas = 0;  // the highest
    std::int32_t ready = 0;     // the lowest
    bool above = false;
    bool saturated = false;
    bool low_confidence = false;
    std::int32_t recorded = -1;  // the highest; -1: unknown
};

class chart {
  public:
    explicit chart(std::size_t most) : most_(most) {}
    void add(const step& step);
    const std::vector<chart_point>& points() const { return points_; }

  private:
    std::size_t most_;  // 0: no points are kept
    std::int64_t steps_per_point_ = 1;
    std::int64_t steps_in_last_ = 0;
    std::vector<chart_point> points_;
};

}  // namespace gputide::replay
