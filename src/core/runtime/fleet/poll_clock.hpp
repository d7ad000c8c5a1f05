// The time by which scalers are polled, made from the host's clock.  Pure.
// It goes forward alone.  A clock set back moves nothing; a stall (suspend, a blocked host, a clock set forward) counts as if
// time had stood still, so that what was missed in it comes once and as spread out as it was.  Also here: where in its
// period a scaler starts.
#pragma once

#include <cstdint>
#include <string_view>

namespace gputide::runtime {

class poll_clock {
  public:
    // clock_ms: any clock in milliseconds; next_ms: when the caller wanted to be woken (on this clock; schedule::never: not).
    // A caller who comes by in even steps of his own is taken as he comes; only what is later than that is a stall.
    void advance(std::int64_t clock_ms, std::int64_t next_ms);

    std::int64_t now_ms() const { return now_ms_; }
    std::int64_t elapsed_ms() const { return now_ms_ + stalled_ms_; }  // stalls included: what lateness is counted by
    std::int64_t stalled_ms() const { return stalled_ms_; }
    std::uint64_t stalls() const { return stalls_; }
    std::uint64_t steps_back() const { return steps_back_; }

  private:
    std::int64_t now_ms_ = 0;
    std::int64_t stalled_ms_ = 0;
    std::int64_t clock_ms_ = 0;
    std::int64_t last_step_ms_ = 0;
    std::uint64_t stalls_ = 0;
    std::uint64_t steps_back_ = 0;
    bool started_ = false;
};

// Where in [0, width_ms) a scaler begins: the same for the same name and seed on every machine.
std::int64_t start_offset_ms(std::string_view name, std::uint64_t seed, std::int64_t width_ms);

}  // namespace gputide::runtime
