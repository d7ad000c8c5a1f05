// Logs that the process is short of memory.  Failed operations are retried, so nothing else would show it.
#pragma once

#include <cstdint>

namespace gputide::runtime {

class memory_notice {
  public:
    static constexpr std::int64_t interval_ms = 60'000;

    memory_notice();
    // Logs allocations that failed since the last line, at most one line per interval.  If the line cannot be allocated, the
    // next call tries again.
    void look(std::int64_t steady_ms) noexcept;

  private:
    std::uint64_t said_;
    std::int64_t next_ms_ = INT64_MIN;
};

}  // namespace gputide::runtime
