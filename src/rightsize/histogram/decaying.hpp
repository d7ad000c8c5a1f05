// A histogram whose samples lose half their weight in every half-life.  Nothing is multiplied as time goes: newer samples weigh
// more instead, against a reference time that moves once that weight would grow too large.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/util/decaying_histogram.go.
#pragma once

#include "rightsize/histogram/histogram.hpp"

namespace gputide::rightsize {

// Where the originals' time begins, 0001-01-01T00:00:00Z: reference times are whole half-lives from here.
inline constexpr std::int64_t year_one_ms = -62'135'596'800'000;

class decaying_histogram {
  public:
    // half_life_ms above 0; the layout is borrowed.
    decaying_histogram(const layout& layout, std::int64_t half_life_ms) : plain_(layout), half_life_ms_(half_life_ms) {}

    // A sample of that time, which may lie before earlier ones.  False as for histogram::add.
    bool add(double value, double weight, std::int64_t time_ms) { return plain_.add(value, weight * factor(time_ms)); }
    bool subtract(double value, double weight, std::int64_t time_ms) {
        return plain_.subtract(value, weight * factor(time_ms));
    }

    // The older reference moves to the newer one, in `other` too.  False where layouts or half-lives differ.
    bool merge(decaying_histogram& other);

    double percentile(double p) const { return plain_.percentile(p); }
    bool empty() const { return plain_.empty(); }
    const histogram& weights() const { return plain_; }
    std::int64_t reference_ms() const { return reference_ms_; }

    histogram_checkpoint save() const;
    // The reference time becomes the saved one as it is.
    result<void> load(const histogram_checkpoint& saved);

    bool equals(const decaying_histogram& other) const;

  private:
    // 2^((time - reference) / half-life).  Samples come in bursts of one time (a page of all GPUs), and peaks at the end of one
    // window: the last time's is kept.
    double factor(std::int64_t time_ms) { return time_ms == known_ms_ ? known_ : new_factor(time_ms); }
    double new_factor(std::int64_t time_ms);
    void move_reference(std::int64_t time_ms);
    void set_reference(std::int64_t time_ms);

    histogram plain_;
    std::int64_t half_life_ms_;
    std::int64_t reference_ms_ = year_one_ms;
    std::int64_t known_ms_ = year_one_ms;
    double known_ = 1.0;  // the factor of known_ms_
};

}  // namespace gputide::rightsize
