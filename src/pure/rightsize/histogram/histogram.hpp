// Weights by bucket, and their percentiles, exactly as in the Vertical Pod Autoscaler.  Stores only the range of
// buckets in use; a sample inside it allocates nothing.  Has no notion of time (decaying.hpp adds it).
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/histogram.go.
#pragma once

#include "base/result.hpp"
#include "rightsize/histogram/layout.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::rightsize {

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

}  // namespace gputide::rightsize
