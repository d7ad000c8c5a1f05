// The buckets of a histogram: the bucket of a value, and the start of each bucket.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/histogram_options.go.
#pragma once

#include <cstdint>

namespace gputide::rightsize {

struct layout {
    double width = 0.0;      // of every bucket, or of the first one if they grow
    double ratio = 1.0;      // width of a bucket relative to the previous one; 1: constant
    double log_ratio = 0.0;  // ln(ratio), which every sample divides by
    double epsilon = 0.0;    // a bucket with less weight counts as empty
    std::int32_t count = 0;  // the last bucket has no upper end

    bool grows() const { return ratio > 1.0; }
    friend bool operator==(const layout&, const layout&) = default;
};

// The VPA's layouts: cores to 1,000 from 0.01 on, bytes to 1e12 from 1e7 on; and percent of a GPU.  ceil(max/width) + 1
// buckets, or ceil(log_ratio(max*(ratio-1)/first + 1)) + 1 if they grow: max 1e12, first 1e7, ratio 1.05 → 176.  An
// empty bucket is below a thousandth of the smallest weight of a sample (0.1).
inline constexpr double empty_weight = 0.0001;
inline constexpr double log_five_percent = 0.04879016416943205;  // ln(1.05)
inline constexpr layout cpu_layout{0.01, 1.05, log_five_percent, empty_weight, 176};
inline constexpr layout memory_layout{1e7, 1.05, log_five_percent, empty_weight, 176};
inline constexpr layout utilisation_layout{1.0, 1.0, 0.0, empty_weight, 101};

// Truncates without tolerance: a value on an edge may be one bucket lower because its logarithm is rounded.
std::int32_t bucket_of(const layout& layout, double value) noexcept;

// bucket in 0 .. count - 1.  memory_layout: 0 → 0, 1 → 1e7, 2 → 20.5e6.
double start_of(const layout& layout, std::int32_t bucket) noexcept;

}  // namespace gputide::rightsize
