// Due times of many keys: a hierarchical timing wheel.  Pure: the time is a parameter and never goes back.  O(1) to add, to take
// one due entry, and to find that none is due; 16 bytes per entry.  Entries cannot be removed: to change a due time, add the key
// again with another stamp and ignore the old entry.  Origin: G.  Varghese, T.  Lauck, Hashed and Hierarchical Timing Wheels,
// SOSP 1987, scheme 7.
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

    // Adds an entry.  An entry in the past is due immediately.  Throws std::bad_alloc without any change.
    void add(const item& entry);

    // Appends up to `limit` entries that are due at now_ms to `due`, in time order; the others stay due.
    void take(std::int64_t now_ms, std::size_t limit, std::vector<item>& due);

    // Time of the earliest entry; for a late entry the time of the last take(); never: none
    std::int64_t next_ms() const;
    std::size_t size() const { return size_; }

  private:
    // Level k counts in steps of 64^k ms: 1 ms, 64 ms, 4 s, 4 min, 5 h, 12 days, 2 years; 139 years in total.
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
    std::int64_t now_ms_ = 0;  // all entries are later, except those added late
    std::size_t size_ = 0;
};

// The time by which scalers are polled, derived from the host's clock.  Pure.  It never goes back.  A clock set back changes
// nothing.  During a stall (suspend, a blocked host, a clock set forward) this time stops, so that missed polls run once and keep
// their distances.  Also here: the offset of a scaler in its period.

class poll_clock {
  public:
    // Moves the time on.  clock_ms: any clock in milliseconds; next_ms: when the caller wanted to be called (on this clock;
    // schedule::never: not).  Regular steps of a caller are not a stall; only a later call is.
    void advance(std::int64_t clock_ms, std::int64_t next_ms);

    std::int64_t now_ms() const { return now_ms_; }
    std::int64_t elapsed_ms() const { return now_ms_ + stalled_ms_; }  // includes stalls; used to measure lateness
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
