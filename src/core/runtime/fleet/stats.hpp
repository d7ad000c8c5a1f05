// Statistics of a fleet and their JSON: counters, durations of polls, and how late the fleet follows its load by the rules of
// decide/lateness.hpp.  No clock, no lock.
#pragma once

#include "base/json_writer.hpp"
#include "decide/decision.hpp"
#include "decide/lateness.hpp"
#include "http/middle/traffic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::runtime {

// Durations in buckets that grow by a fifth: quantiles of any number of values in about a kilobyte.  No clock, no lock.
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

    // Returns the upper end of the bucket below which at least `share` of the values are. 0.99 → p99.
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

// Writes name: {"count","sum","p50","p95","p99","max"}.
void write_histogram(json_writer& json, std::string_view name, const histogram& values);

// The rises of a scaler.
struct scaler_lateness {
    decide::lateness finder;
    decide::load_look look;              // the last; its ready is unknown until it was observed
    std::unique_ptr<decide::rise> last;  // the last rise that has ended; null: none

    scaler_lateness() { look.ready = -1; }
};

class lateness {
  public:
    // read_ms: Unix time of the sample that the decision is based on.  now_ms: Unix.
    void decided(scaler_lateness& of, const decide::decision& decision, std::int64_t read_ms, std::int64_t now_ms);
    void written(scaler_lateness& of, std::int64_t now_ms);
    // ready: number of ready pods; negative: unknown.
    void observed(scaler_lateness& of, std::int32_t ready, std::int64_t now_ms);

    // Writes {"rises","decision_ms":{...},"write_ms":...,"ready_ms":...,"below_ms":...,"cause_ms":{...}}.
    void write(json_writer& json) const;

  private:
    void add(scaler_lateness& of, const decide::load_look& look);

    std::uint64_t rises_ = 0;  // begun
    std::array<histogram, 4> took_;
    std::array<std::int64_t, decide::late_cause_count> cause_ms_{};
};

// Writes "rise":{"began_ms","open","decision_ms",...,"cause"}, the rise in progress or the last one; omits stages that were not
// reached.  Writes nothing if no rise is recorded.
void write_rise(json_writer& json, const scaler_lateness& of);

// Counters of a fleet, and their JSON.

struct fleet_stats {
    // Current values.
    std::uint64_t scalers = 0;
    std::uint64_t unobserved = 0;  // not polled because they have no observation yet
    std::uint64_t polls_in_flight = 0;
    std::uint64_t events_waiting = 0;
    std::uint64_t scheduled = 0;
    std::uint64_t streams = 0;  // open or waiting to be reopened

    // Totals.
    std::uint64_t polls = 0;
    std::uint64_t stream_polls = 0;  // polls that a stream caused before their time
    std::uint64_t stream_words = 0;
    std::uint64_t decisions = 0;
    std::uint64_t events = 0;  // made
    std::uint64_t events_taken = 0;
    std::uint64_t events_replaced = 0;  // replaced by a newer decision before they were taken
    std::uint64_t events_dropped = 0;   // removed with their scaler
    std::uint64_t polls_lost = 0;       // ended by the fleet because their result did not arrive: must stay 0
    std::uint64_t stalls = 0;
    std::int64_t stalled_ms = 0;
    std::uint64_t clock_steps_back = 0;
    std::map<std::string, std::uint64_t, std::less<>> errors;  // failed reads by status name
    std::size_t queries = 0;                                   // different queries that may be shared
    http::traffic_stats traffic;
    histogram lag;      // delay between planned and actual start of polls
    histogram latency;  // of polls with at least one request
    runtime::lateness lateness;
};

std::string stats_json(const fleet_stats& stats);

}  // namespace gputide::runtime
