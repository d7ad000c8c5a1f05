// Weights by bucket and their percentiles, with the rules of the Vertical Pod Autoscaler: the buckets, and a
// histogram with samples that may lose weight over time.  Rules: kubernetes/autoscaler
// vertical-pod-autoscaler/pkg/recommender/util (histogram_options.go).
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::rightsize {

struct layout {
    double width = 0.0;      // of every bucket; of the first bucket if widths grow
    double ratio = 1.0;      // width of a bucket relative to the previous one; 1: constant
    double log_ratio = 0.0;  // ln(ratio), the divisor for every sample
    double epsilon = 0.0;    // a bucket with less weight counts as empty
    std::int32_t count = 0;  // number of buckets; the last one has no upper end

    bool grows() const { return ratio > 1.0; }
    friend bool operator==(const layout&, const layout&) = default;
};

// The VPA's layouts: cores from 0.01 to 1,000, bytes from 1e7 to 1e12; and percent of a GPU. Number of buckets:
// ceil(max/width) + 1, or with growing widths ceil(log_ratio(max*(ratio-1)/first + 1)) + 1: max 1e12, first 1e7, ratio 1.05 →
// 176.  An empty bucket has less than a thousandth of the smallest weight of a sample (0.1).
inline constexpr double empty_weight = 0.0001;
inline constexpr double log_five_percent = 0.04879016416943205;  // ln(1.05)
inline constexpr layout cpu_layout{0.01, 1.05, log_five_percent, empty_weight, 176};
inline constexpr layout memory_layout{1e7, 1.05, log_five_percent, empty_weight, 176};
inline constexpr layout utilization_layout{1.0, 1.0, 0.0, empty_weight, 101};

// Returns the bucket of a value.  Truncates without tolerance: a value on an edge may be in the lower bucket because its
// logarithm is rounded.
std::int32_t bucket_of(const layout& layout, double value) noexcept;

// Returns the start of a bucket in 0 .. count - 1. memory_layout: 0 → 0, 1 → 1e7, 2 → 20.5e6.
double start_of(const layout& layout, std::int32_t bucket) noexcept;

// The saved state of a histogram.  The largest weight is stored as 10,000 and all others in proportion, so weights below a
// 20,000th of the largest are lost.
struct histogram_checkpoint {
    static constexpr double largest_weight = 10'000.0;

    double total_weight = 0.0;
    std::vector<std::pair<std::int64_t, std::int64_t>> bucket_weights;  // by bucket, ascending; none is 0
    std::optional<std::int64_t> reference_ms;                           // Unix milliseconds, only if weights decay
};

// Start of time in the VPA, 0001-01-01T00:00:00Z: reference times are multiples of the half-life from here.
inline constexpr std::int64_t year_one_ms = -62'135'596'800'000;

// Weights by bucket and their percentiles, with the rules of the Vertical Pod Autoscaler.  Stores only the used range of
// buckets; a sample inside it allocates nothing.  With a half-life, samples lose half their weight in that time: weights are
// not multiplied over time, but newer samples get a larger weight relative to a reference time, which moves when the weight
// becomes too large.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/histogram.go, decaying_histogram.go.
class histogram {
  public:
    // half_life_ms: 0: weights do not decay, and times do not count.  The layout is borrowed for the object's lifetime.
    explicit histogram(const layout& layout, std::int64_t half_life_ms = 0)
        : layout_(&layout), min_(layout.count - 1), half_life_ms_(half_life_ms) {}

    // Adds a sample of that time, which may be earlier than previous samples.  Returns false and changes no weight if the
    // weight is below 0 or NaN.
    bool add(double value, double weight, std::int64_t time_ms = 0);
    bool subtract(double value, double weight, std::int64_t time_ms = 0);

    // Returns the end of the percentile's bucket (the start of the last bucket): in buckets of 1, a constant 80 gives 81.  An
    // empty histogram gives 0; p below 0 or above 1 gives the extremes.
    double percentile(double p) const;

    bool empty() const { return weight(min_) < layout_->epsilon; }
    double total() const { return total_; }
    double weight(std::int32_t bucket) const;
    const layout& buckets() const { return *layout_; }
    std::int64_t reference_ms() const { return reference_ms_; }

    // Merges; the older reference time moves to the newer one, also in `other`.  Returns false and changes nothing if layouts
    // or half-lives differ.
    bool merge(histogram& other);

    histogram_checkpoint save() const;
    // Adds a saved state; its reference time is used unchanged.  An error describes the invalid input; nothing has changed
    // then.
    result<void> load(const histogram_checkpoint& saved);

    // Compares half-lives, reference times, the used buckets, and weights within 1e-15.
    bool equals(const histogram& other) const;

  private:
    double& slot(std::int32_t bucket);
    void widen(std::int32_t bucket);
    void scale(double factor);
    void shrink();
    // Returns 2^((time - reference) / half-life).  Caches the last result, because samples often have equal times (a page of
    // all GPUs, peaks at the end of a window).
    double factor(std::int64_t time_ms) { return time_ms == known_ms_ ? known_ : new_factor(time_ms); }
    double new_factor(std::int64_t time_ms);
    void move_reference(std::int64_t time_ms);
    void set_reference(std::int64_t time_ms);

    const layout* layout_;
    std::vector<double> weights_;  // of the buckets from first_ on; all others are 0
    double total_ = 0.0;
    std::int32_t first_ = 0;
    std::int32_t min_;  // buckets below or above these have less weight than epsilon; crossed if all are empty
    std::int32_t max_ = 0;
    std::int64_t half_life_ms_;
    std::int64_t reference_ms_ = year_one_ms;
    std::int64_t known_ms_ = year_one_ms;
    double known_ = 1.0;  // the cached factor of known_ms_
};

}  // namespace gputide::rightsize
