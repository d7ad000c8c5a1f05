// Durations by size, in buckets that grow by a fifth: quantiles of any number of values in a kilobyte.  No clock, no lock.
#pragma once

#include "http/middle/sharing.hpp"
#include "http/middle/traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gputide::runtime {

class histogram {
  public:
    void add(std::int64_t ms) {
        const auto value = static_cast<double>(std::max<std::int64_t>(0, ms));
        const auto index = static_cast<std::size_t>(std::log2(value + 1.0) * per_doubling);
        ++counts_[std::min(index, counts_.size() - 1)];
        ++count_;
        sum_ms_ += std::max<std::int64_t>(0, ms);
        max_ms_ = std::max(max_ms_, ms);
    }

    // Returns the upper end of the bucket below which at least `share` of the values lie.  0.99 → p99.
    std::int64_t quantile_ms(double share) const {
        const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            below += counts_[i];
            if (below < wanted || below == 0) continue;
            const double end = std::exp2(static_cast<double>(i + 1) / per_doubling) - 1.0;
            return std::min(max_ms_, static_cast<std::int64_t>(end));
        }
        return max_ms_;
    }

    std::uint64_t count() const { return count_; }
    std::int64_t sum_ms() const { return sum_ms_; }
    std::int64_t max_ms() const { return max_ms_; }

  private:
    static constexpr double per_doubling = 4.0;
    std::array<std::uint64_t, 160> counts_{};  // up to 2^40 ms
    std::uint64_t count_ = 0;
    std::int64_t sum_ms_ = 0;
    std::int64_t max_ms_ = 0;
};

// Counters of a fleet and how they read as JSON.

struct fleet_stats {
    // Now.
    std::uint64_t scalers = 0;
    std::uint64_t unobserved = 0;  // no observation yet, so not polled
    std::uint64_t polls_in_flight = 0;
    std::uint64_t events_waiting = 0;
    std::uint64_t scheduled = 0;
    std::uint64_t streams = 0;  // held, whether they are open at this moment or wait to be opened again

    // Since the beginning.
    std::uint64_t polls = 0;
    std::uint64_t stream_polls = 0;  // of them, that began before their time, as a stream wanted
    std::uint64_t stream_words = 0;
    std::uint64_t decisions = 0;
    std::uint64_t events = 0;  // made
    std::uint64_t events_taken = 0;
    std::uint64_t events_replaced = 0;  // by a newer decision before they were taken
    std::uint64_t events_dropped = 0;   // with their scaler
    std::uint64_t polls_lost = 0;       // ended by the fleet itself because no answer came: must stay 0
    std::uint64_t stalls = 0;
    std::int64_t stalled_ms = 0;
    std::uint64_t clock_steps_back = 0;
    std::map<std::string, std::uint64_t, std::less<>> errors;  // reads that failed, by status name
    std::size_t queries = 0;                                   // different ones that may be shared
    http::traffic_stats traffic;
    http::sharing_stats sharing;
    histogram lag;      // how much later than planned polls began
    histogram latency;  // of polls that asked somebody
};

std::string stats_json(const fleet_stats& stats);

}  // namespace gputide::runtime
