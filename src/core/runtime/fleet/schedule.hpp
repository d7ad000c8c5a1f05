// When each of many things is due: a hierarchical timing wheel.  Pure: the time is a parameter and only goes forward.
// Adding costs O(1), taking what is due O(1) each, a look with nothing due O(1); 16 bytes an entry.  Nothing is taken out:
// who changes its mind adds again under another stamp and ignores the old one when it comes.
// Origin: G. Varghese, T. Lauck, Hashed and Hierarchical Timing Wheels, SOSP 1987, scheme 7.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace gputide::runtime {

class schedule {
  public:
    struct item {
        std::int64_t due_ms = 0;
        std::uint32_t key = 0;
        std::uint32_t stamp = 0;
    };
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    // A time that has passed is due at once.  Strong guarantee: throws std::bad_alloc and nothing has changed.
    void add(const item& entry);

    // Appends what is due at now_ms to `due`, in the order of time; at most `limit` of them, the rest stays due.
    void take(std::int64_t now_ms, std::size_t limit, std::vector<item>& due);

    std::int64_t next_ms() const;  // the earliest entry's time, of a late one the last take's; never: none
    std::size_t size() const { return size_; }

  private:
    // Level k counts in steps of 64^k ms: 1 ms, 64 ms, 4 s, 4 min, 5 h, 12 days, 2 years; 139 years in all.
    static constexpr int bits = 6;
    static constexpr std::size_t slots = std::size_t{1} << bits;
    static constexpr int level_count = 7;
    static constexpr std::int64_t last_ms = (std::int64_t{1} << (bits * level_count)) - 1;

    struct bucket {
        std::vector<item> items;
        std::int64_t earliest_ms = never;
    };
    struct wheel {
        std::array<bucket, slots> buckets;
        std::uint64_t filled = 0;  // bit per bucket
    };

    struct spot {
        int level = 0;
        std::size_t slot = 0;
    };

    void put(const item& entry);
    bool find_first(spot& place) const;
    std::int64_t start_ms(const spot& place) const;
    void spread(const spot& place);

    std::array<wheel, level_count> levels_;
    std::int64_t now_ms_ = 0;  // nothing that is in here was due before it, but what was added late
    std::size_t size_ = 0;
};

// The time by which scalers are polled, made from the host's clock.  Pure.
// It goes forward alone.  A clock set back moves nothing; a stall (suspend, a blocked host, a clock set forward) counts as if
// time had stood still, so that what was missed in it comes once and as spread out as it was.  Also here: where in its
// period a scaler starts.

class poll_clock {
  public:
    // clock_ms: any clock in milliseconds; next_ms: when the caller wanted to be woken (on this clock; schedule::never: not).
    // The even steps of a caller that polls are not a stall; only a call that is later than these is one.
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

// Returns a scaler's offset in [0, width_ms): equal for the same name and seed on every machine.
std::int64_t start_offset_ms(std::string_view name, std::uint64_t seed, std::int64_t width_ms);

}  // namespace gputide::runtime
