// The rises of the load above the target in a replay, and the duration of each stage of scaling.  Constant memory for any
// length.
#pragma once

#include "base/json_writer.hpp"
#include "decide/lateness.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gputide::replay {

class rises {
  public:
    void add(const decide::rise& rise);
    // Writes {"rises":12,"below_seconds":{"p50":90,"p95":240,"max":300},...}; docs/json.md has the members.
    void write(json_writer& out) const;

  private:
    static constexpr std::size_t max_kept = 16'384;  // above it every second rise is dropped; the quantiles stay close
    static constexpr std::size_t max_longest = 10;

    std::int64_t count_ = 0;
    std::int64_t unanswered_ = 0;  // rises that ended before replicas were added
    std::int64_t unfinished_ = 0;
    std::int64_t every_ = 1;  // one rise of this many is kept
    std::vector<decide::rise> kept_;
    std::vector<decide::rise> longest_;  // the longest first
    std::array<std::int64_t, decide::late_cause_count> cause_ms_{};
};

}  // namespace gputide::replay
