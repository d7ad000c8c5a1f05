// Weights by bucket, and percentiles of them, exactly as the Vertical Pod Autoscaler counts.  Keeps only the stretch of buckets
// that was ever used; a sample inside it allocates nothing.  Knows no time (decaying.hpp does).
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/histogram.go.
#pragma once

#include "base/result.hpp"
#include "rightsize/histogram/layout.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gputide::rightsize {

// What of a histogram survives a restart.  The largest weight is written as 10,000 and all others in proportion, so that what
// is lighter than a 20,000th of it is forgotten.
struct histogram_checkpoint {
    static constexpr double largest_weight = 10'000.0;

    double total_weight = 0.0;
    std::vector<std::pair<std::int64_t, std::int64_t>> bucket_weights;  // by bucket, ascending; none is 0
    std::optional<std::int64_t> reference_ms;                           // of one that decays; Unix
};

class histogram {
  public:
    explicit histogram(const layout& layout)
        : layout_(&layout), min_(layout.count - 1) {}  // borrows it for as long as it lives

    // False, and nothing happens, where the weight is below 0 or no number.
    bool add(double value, double weight);
    bool subtract(double value, double weight);

    // The end of the bucket that holds it (the start of the last one): a constant 80 reads as 81 in buckets of 1.  Nothing in
    // it: 0.  Below 0 and above 1: the extremes.
    double percentile(double p) const;

    bool empty() const { return weight(min_) < layout_->epsilon; }
    double total() const { return total_; }
    double weight(std::int32_t bucket) const;
    const layout& buckets() const { return *layout_; }

    // Both of the same layout, else false and nothing happens.
    bool merge(const histogram& other);
    void scale(double factor);

    histogram_checkpoint save() const;
    // Adds to what is there.  An error names what is wrong, and nothing has changed then.
    result<void> load(const histogram_checkpoint& saved);

    // The same buckets in use, weights within 1e-15.
    bool equals(const histogram& other) const;

  private:
    double& slot(std::int32_t bucket);
    void widen(std::int32_t bucket);
    void shrink();

    const layout* layout_;
    std::vector<double> weights_;  // of the buckets from first_ on; the others weigh nothing
    double total_ = 0.0;
    std::int32_t first_ = 0;
    std::int32_t min_;  // no bucket below or above these weighs as much as epsilon; crossed while there is none
    std::int32_t max_ = 0;
};

}  // namespace gputide::rightsize
