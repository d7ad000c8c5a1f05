// The mean load by position in a period (a day, a week, an hour, in UTC), learned with each visit.
#pragma once

#include "forecast/arithmetic.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gputide::forecast {

struct profile_rule {
    std::int64_t buckets = 0;           // of the period
    std::int64_t slots_per_bucket = 1;  // "width"
    double gain = 0.0;                  // least weight of a new visit in a bucket's mean

    static constexpr profile_rule of(std::int64_t period_ms, std::int64_t bucket_ms, std::int64_t slot_ms,
                                     double gain) noexcept {
        return {period_ms / bucket_ms, bucket_ms / slot_ms, gain};
    }
};

// The bucket that is being summed.  Its number counts from 1970; its position in the period is that modulo `buckets`.
struct open_bucket {
    std::int64_t number = 0;
    double sum = 0.0;
    std::int64_t count = 0;  // 0: none
};

// The arrays of a profile; each holds `buckets` elements or more.
struct profile_view {
    std::span<double> means;
    std::span<std::uint8_t> visits;  // up to 255; 0: never
    open_bucket& open;
};

// Adds the value of slot k.  If it is the first of another bucket, the previous visit counts if at least half of its
// slots had a value:
//   mean += max(gain, 1 / (visits + 1)) · (sum / count - mean)
// Worked: gain 0.3, mean 10 after 1 visit, a visit of 20 and 30 → 10 + 0.5 · 15 = 17.5.
void learn(const profile_rule& rule, const profile_view& profile, std::int64_t slot, double value) noexcept;

// Interpolates at the middle of a slot, which lies between the middles of two buckets:
//   u = 2k + 1 - width, i = u div 2width, x = (u mod 2width) / 2width → m[i] + x · (m[i+1] - m[i])
// Missing until both were visited.  Worked: width 5, k = 4: u = 4, i = 0, x = 0.4; m = 10, 20 → 14.
double value_at(const profile_rule& rule, std::span<const double> means, std::span<const std::uint8_t> visits,
                std::int64_t slot) noexcept;

// Storage for the most buckets of a period at any slot length.
template <std::size_t Buckets>
struct profile {
    std::array<double, Buckets> means{};
    std::array<std::uint8_t, Buckets> visits{};
    open_bucket open;

    profile_view view() noexcept { return {means, visits, open}; }
};

}  // namespace gputide::forecast
