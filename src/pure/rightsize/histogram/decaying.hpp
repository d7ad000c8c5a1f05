// A histogram with samples that lose half their weight in every half-life.  Weights are not multiplied over time: newer
// samples get a larger weight instead, relative to a reference time that moves when the weight becomes too large.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/decaying_histogram.go.
#pragma once

#include "rightsize/histogram/histogram.hpp"

namespace gputide::rightsize {

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
