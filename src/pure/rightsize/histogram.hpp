// Weights by bucket and their percentiles, exactly as in the Vertical Pod Autoscaler: the buckets, a histogram, and a histogram with
// samples that lose weight over time.  Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util (histogram_options.go).
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

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
inline constexpr layout utilization_layout{1.0, 1.0, 0.0, empty_weight, 101};

// Truncates without tolerance: a value on an edge may be one bucket lower because its logarithm is rounded.
std::int32_t bucket_of(const layout& layout, double value) noexcept;

// bucket in 0 .. count - 1.  memory_layout: 0 → 0, 1 → 1e7, 2 → 20.5e6.
double start_of(const layout& layout, std::int32_t bucket) noexcept;

// Weights by bucket, and their percentiles, exactly as in the Vertical Pod Autoscaler.  Stores only the range of
// buckets in use; a sample inside it allocates nothing.  Has no notion of time: decaying_histogram adds it.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/histogram.go.

// The saved state of a histogram.  The largest weight is stored as 10,000 and all others in proportion, so weights
// below a 20,000th of it are lost.
struct histogram_checkpoint {
    static constexpr double largest_weight = 10'000.0;

    double total_weight = 0.0;
    std::vector<std::pair<std::int64_t, std::int64_t>> bucket_weights;  // by bucket, ascending; none is 0
    std::optional<std::int64_t> reference_ms;                           // of one that decays; Unix
};

class histogram {
  public:
    explicit histogram(const layout& layout)
        : layout_(&layout), min_(layout.count - 1) {}  // borrowed for the object's lifetime

    // Adds a sample.  False, without an effect, if the weight is below 0 or NaN.
    bool add(double value, double weight);
    bool subtract(double value, double weight);

    // Returns the end of the bucket of a percentile (the start of the last one): a constant 80 reads as 81 in buckets
    // of 1.  An empty histogram: 0.  Below 0 and above 1: the extremes.
    double percentile(double p) const;

    bool empty() const { return weight(min_) < layout_->epsilon; }
    double total() const { return total_; }
    double weight(std::int32_t bucket) const;
    const layout& buckets() const { return *layout_; }

    // Merges.  False, without an effect, if the layouts differ.
    bool merge(const histogram& other);
    void scale(double factor);

    histogram_checkpoint save() const;
    // Adds a saved state.  An error describes invalid input, and nothing has changed then.
    result<void> load(const histogram_checkpoint& saved);

    // Compares: the same buckets in use, weights within 1e-15.
    bool equals(const histogram& other) const;

  private:
    double& slot(std::int32_t bucket);
    void widen(std::int32_t bucket);
    void shrink();

    const layout* layout_;
    std::vector<double> weights_;  // of the buckets from first_ on; all others are 0
    double total_ = 0.0;
    std::int32_t first_ = 0;
    std::int32_t min_;  // buckets below or above these weigh less than epsilon; crossed while there are none
    std::int32_t max_ = 0;
};

// A histogram with samples that lose half their weight in every half-life.  Weights are not multiplied over time: newer
// samples get a larger weight instead, relative to a reference time that moves when the weight becomes too large.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/decaying_histogram.go.

// The start of time in the originals, 0001-01-01T00:00:00Z: reference times are multiples of the half-life from here.
inline constexpr std::int64_t year_one_ms = -62'135'596'800'000;

class decaying_histogram {
  public:
    // Requires half_life_ms above 0; the layout is borrowed.
    decaying_histogram(const layout& layout, std::int64_t half_life_ms) : plain_(layout), half_life_ms_(half_life_ms) {}

    // Adds a sample of that time, which may be before earlier ones.  False as for histogram::add.
    bool add(double value, double weight, std::int64_t time_ms) { return plain_.add(value, weight * factor(time_ms)); }
    bool subtract(double value, double weight, std::int64_t time_ms) {
        return plain_.subtract(value, weight * factor(time_ms));
    }

    // Merges; the older reference time moves to the newer one, in `other` too.  False if layouts or half-lives differ.
    bool merge(decaying_histogram& other);

    double percentile(double p) const { return plain_.percentile(p); }
    bool empty() const { return plain_.empty(); }
    const histogram& weights() const { return plain_; }
    std::int64_t reference_ms() const { return reference_ms_; }

    histogram_checkpoint save() const;
    // Loads a saved state; its reference time is used unchanged.
    result<void> load(const histogram_checkpoint& saved);

    bool equals(const decaying_histogram& other) const;

  private:
    // Returns 2^((time - reference) / half-life).  Samples often have equal times (a page of all GPUs, peaks at the end
    // of a window): the last result is cached.
    double factor(std::int64_t time_ms) { return time_ms == known_ms_ ? known_ : new_factor(time_ms); }
    double new_factor(std::int64_t time_ms);
    void move_reference(std::int64_t time_ms);
    void set_reference(std::int64_t time_ms);

    histogram plain_;
    std::int64_t half_life_ms_;
    std::int64_t reference_ms_ = year_one_ms;
    std::int64_t known_ms_ = year_one_ms;
    double known_ = 1.0;  // the cached factor of known_ms_
};

}  // namespace gputide::rightsize
