#include "rightsize/histogram/decaying.hpp"

#include "base/go_math.hpp"

#include <cmath>

namespace gputide::rightsize {
namespace {

constexpr std::int64_t most_half_lives = 100;  // sums of weights of 2^100 do not overflow

// Returns the nearest multiple of the half-life since year 1, halves up.
// 2009-02-13T23:31:30Z in hours → 2009-02-14T00:00:00Z.
std::int64_t rounded(std::int64_t time_ms, std::int64_t half_life_ms) {
    const std::int64_t beyond = (time_ms - year_one_ms) % half_life_ms;
    return beyond < half_life_ms - beyond ? time_ms - beyond : time_ms + (half_life_ms - beyond);
}

}  // namespace

// Returns the exponent: a day later than a reference, with a half-life of a day → 2.
double decaying_histogram::new_factor(std::int64_t time_ms) {
    if ((time_ms - reference_ms_) / half_life_ms_ >= most_half_lives) [[unlikely]] {
        if (time_ms - reference_ms_ > most_half_lives * half_life_ms_) move_reference(time_ms);
    }
    known_ms_ = time_ms;
    known_ = go_exp2(static_cast<double>(time_ms - reference_ms_) / static_cast<double>(half_life_ms_));
    return known_;
}

void decaying_histogram::set_reference(std::int64_t time_ms) {
    reference_ms_ = known_ms_ = time_ms;
    known_ = 1.0;
}

void decaying_histogram::move_reference(std::int64_t time_ms) {
    const std::int64_t moved_ms = rounded(time_ms, half_life_ms_);
    const double half_lives =
        std::round(static_cast<double>(reference_ms_ - moved_ms) / static_cast<double>(half_life_ms_));
    plain_.scale(go_exp2(half_lives));
    set_reference(moved_ms);
}

bool decaying_histogram::merge(decaying_histogram& other) {
    if (half_life_ms_ != other.half_life_ms_ || plain_.buckets() != other.plain_.buckets()) return false;
    if (reference_ms_ < other.reference_ms_) {
        move_reference(other.reference_ms_);
    } else if (other.reference_ms_ < reference_ms_) {
        other.move_reference(reference_ms_);
    }
    return plain_.merge(other.plain_);
}

histogram_checkpoint decaying_histogram::save() const {
    histogram_checkpoint out = plain_.save();
    out.reference_ms = reference_ms_;
    return out;
}

result<void> decaying_histogram::load(const histogram_checkpoint& saved) {
    if (result<void> ok = plain_.load(saved); !ok) return ok;
    set_reference(saved.reference_ms.value_or(year_one_ms));
    return {};
}

bool decaying_histogram::equals(const decaying_histogram& other) const {
    return half_life_ms_ == other.half_life_ms_ && reference_ms_ == other.reference_ms_ && plain_.equals(other.plain_);
}

}  // namespace gputide::rightsize
