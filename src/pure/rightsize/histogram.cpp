#include "rightsize/histogram.hpp"

#include "base/go_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gputide::rightsize {

namespace {

constexpr std::int32_t stretch = 8;  // number of buckets to add when the memory grows

bool is_weight(double weight) { return weight >= 0.0 && std::isfinite(weight); }

double reduced(double value, double by, double epsilon) {
    value -= by;
    return value < epsilon ? 0.0 : value;
}

}  // namespace

double histogram::weight(std::int32_t bucket) const {
    const auto at = static_cast<std::size_t>(bucket - first_);  // an index before first_ becomes a large number
    return at < weights_.size() ? weights_[at] : 0.0;
}

double& histogram::slot(std::int32_t bucket) {
    auto at = static_cast<std::size_t>(bucket - first_);
    if (at >= weights_.size()) [[unlikely]] {
        widen(bucket);
        at = static_cast<std::size_t>(bucket - first_);
    }
    return weights_[at];
}

void histogram::widen(std::int32_t bucket) {
    const std::int32_t end = first_ + static_cast<std::int32_t>(weights_.size());
    const bool fresh = weights_.empty();
    const std::int32_t from = (fresh ? bucket : std::min(first_, bucket)) / stretch * stretch;
    const std::int32_t past = std::min(layout_->count, (std::max(fresh ? 0 : end - 1, bucket) / stretch + 1) * stretch);
    std::vector<double> wider(static_cast<std::size_t>(past - from), 0.0);
    std::copy(weights_.begin(), weights_.end(), wider.begin() + (fresh ? 0 : first_ - from));
    weights_ = std::move(wider);
    first_ = from;
}

bool histogram::add(double value, double weight, std::int64_t time_ms) {
    weight *= factor(time_ms);
    if (!is_weight(weight)) return false;
    const std::int32_t bucket = bucket_of(*layout_, value);
    double& held = slot(bucket);
    held += weight;
    total_ += weight;
    if (held >= layout_->epsilon) {
        min_ = std::min(min_, bucket);
        max_ = std::max(max_, bucket);
    }
    return true;
}

bool histogram::subtract(double value, double weight, std::int64_t time_ms) {
    weight *= factor(time_ms);
    if (!is_weight(weight)) return false;
    double& held = slot(bucket_of(*layout_, value));
    total_ = reduced(total_, weight, layout_->epsilon);
    held = reduced(held, weight, layout_->epsilon);
    shrink();
    return true;
}

void histogram::shrink() {
    while (min_ < layout_->count - 1 && weight(min_) < layout_->epsilon) ++min_;
    while (max_ > 0 && weight(max_) < layout_->epsilon) --max_;
}

double histogram::percentile(double p) const {
    if (empty()) return 0.0;
    const double threshold = p * total_;
    double sum = 0.0;
    std::int32_t bucket = min_;
    for (; bucket < max_; ++bucket) {
        sum += weight(bucket);
        if (sum >= threshold) break;
    }
    return start_of(*layout_, std::min(bucket + 1, layout_->count - 1));
}

bool histogram::merge(histogram& other) {
    if (half_life_ms_ != other.half_life_ms_ || *layout_ != *other.layout_) return false;
    if (reference_ms_ < other.reference_ms_) {
        move_reference(other.reference_ms_);
    } else if (other.reference_ms_ < reference_ms_) {
        other.move_reference(reference_ms_);
    }
    for (std::int32_t bucket = other.min_; bucket <= other.max_; ++bucket) {
        if (const double more = other.weight(bucket); more > 0.0) slot(bucket) += more;
    }
    total_ += other.total_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    return true;
}

void histogram::scale(double factor) {
    // As in the recommender, a bucket outside the range keeps its weight below epsilon
    // (kubernetes/autoscaler:vertical-pod-autoscaler/pkg/recommender/util/histogram.go scale @v1.8.1).
    for (std::int32_t bucket = min_; bucket <= max_; ++bucket) slot(bucket) *= factor;
    total_ *= factor;
    shrink();
}

histogram_checkpoint histogram::save() const {
    histogram_checkpoint out;
    out.total_weight = total_;
    if (half_life_ms_ > 0) out.reference_ms = reference_ms_;
    double largest = 0.0;
    for (std::int32_t bucket = min_; bucket <= max_; ++bucket) largest = std::max(largest, weight(bucket));
    if (largest == 0.0) return out;
    const double ratio = histogram_checkpoint::largest_weight / largest;
    for (std::int32_t bucket = min_; bucket <= max_; ++bucket) {
        const auto written = static_cast<std::int64_t>(std::floor(weight(bucket) * ratio + 0.5));
        if (written > 0) out.bucket_weights.emplace_back(bucket, written);
    }
    return out;
}

result<void> histogram::load(const histogram_checkpoint& saved) {
    if (!is_weight(saved.total_weight))
        return fail(status::state, "totalWeight: expected a number of 0 or more; the checkpoint is damaged");
    double sum = 0.0;
    for (const auto& [bucket, written] : saved.bucket_weights) {
        if (bucket < 0 || bucket >= layout_->count)
            return fail(status::state,
                        "bucketWeights: bucket {} is out of range 0 to {}; the checkpoint is of another histogram",
                        bucket, layout_->count - 1);
        if (written < 0 || written > std::numeric_limits<std::uint32_t>::max())
            return fail(status::state, "bucketWeights: bucket {} weighs {}, expected 0 to 4294967295", bucket, written);
        sum += static_cast<double>(written);
    }
    if (half_life_ms_ > 0) set_reference(saved.reference_ms.value_or(year_one_ms));
    if (sum == 0.0) return {};
    const double ratio = saved.total_weight / sum;
    for (const auto& [number, written] : saved.bucket_weights) {
        const auto bucket = static_cast<std::int32_t>(number);
        slot(bucket) += static_cast<double>(written) * ratio;
        min_ = std::min(min_, bucket);
        max_ = std::max(max_, bucket);
    }
    total_ += saved.total_weight;
    shrink();  // a bucket may have less weight than epsilon (kubernetes/autoscaler#7726)
    return {};
}

bool histogram::equals(const histogram& other) const {
    if (half_life_ms_ != other.half_life_ms_ || reference_ms_ != other.reference_ms_) return false;
    if (*layout_ != *other.layout_ || min_ != other.min_ || max_ != other.max_) return false;
    for (std::int32_t bucket = min_; bucket <= max_; ++bucket) {
        if (std::fabs(weight(bucket) - other.weight(bucket)) > 1e-15) return false;
    }
    return true;
}

std::int32_t bucket_of(const layout& layout, double value) noexcept {
    if (value < (layout.grows() ? layout.width : 0.0)) return 0;
    const double at = layout.grows() ? std::log(value * (layout.ratio - 1.0) / layout.width + 1.0) / layout.log_ratio
                                     : value / layout.width;
    if (!(at < layout.count - 1)) return layout.count - 1;  // a double may exceed the range of an integer
    return static_cast<std::int32_t>(at);
}

double start_of(const layout& layout, std::int32_t bucket) noexcept {
    if (!layout.grows()) return bucket * layout.width;
    if (bucket == 0) return 0.0;
    return layout.width * (go_pow(layout.ratio, bucket) - 1.0) / (layout.ratio - 1.0);
}

namespace {

constexpr std::int64_t max_half_lives = 100;  // sums of weights of 2^100 do not overflow

// Returns the nearest multiple of the half-life since year 1, rounding half up.  Example: 2009-02-13T23:31:30Z in hours →
// 2009-02-14T00:00:00Z.
std::int64_t rounded(std::int64_t time_ms, std::int64_t half_life_ms) {
    const std::int64_t beyond = (time_ms - year_one_ms) % half_life_ms;
    return beyond < half_life_ms - beyond ? time_ms - beyond : time_ms + (half_life_ms - beyond);
}

}  // namespace

// Computes the factor.  Example: one day after the reference, with a half-life of a day → 2.
double histogram::new_factor(std::int64_t time_ms) {
    if (half_life_ms_ == 0) return 1.0;
    if ((time_ms - reference_ms_) / half_life_ms_ >= max_half_lives) [[unlikely]] {
        if (time_ms - reference_ms_ > max_half_lives * half_life_ms_) move_reference(time_ms);
    }
    known_ms_ = time_ms;
    known_ = go_exp2(static_cast<double>(time_ms - reference_ms_) / static_cast<double>(half_life_ms_));
    return known_;
}

void histogram::set_reference(std::int64_t time_ms) {
    reference_ms_ = known_ms_ = time_ms;
    known_ = 1.0;
}

void histogram::move_reference(std::int64_t time_ms) {
    const std::int64_t moved_ms = rounded(time_ms, half_life_ms_);
    const double half_lives =
        std::round(static_cast<double>(reference_ms_ - moved_ms) / static_cast<double>(half_life_ms_));
    scale(go_exp2(half_lives));
    set_reference(moved_ms);
}

}  // namespace gputide::rightsize
