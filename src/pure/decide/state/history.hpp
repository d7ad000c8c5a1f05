// The recent recommendations, in the order of upstream's slots.
// Each pass needs the extremes of two windows and an expired slot.  A search reads all entries; cached results avoid most
// searches and never change a result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gputide::decide {

struct recommendation {
    std::int32_t replicas = 0;
    std::int64_t time_ms = 0;
};

// Maximum of entries: an hour of passes every second.  Upstream has no limit.  A full history first drops entries that can
// never decide again (a newer entry is as high, another as low), which changes no result; then the oldest entry.
inline constexpr std::size_t max_recommendations = 4096;

class recommendation_history {
  public:
    static constexpr std::int32_t none_is_highest = std::numeric_limits<std::int32_t>::min();
    static constexpr std::int32_t none_is_lowest = std::numeric_limits<std::int32_t>::max();

    using value_type = recommendation;

    auto begin() const noexcept { return entries_.begin(); }
    auto end() const noexcept { return entries_.end(); }
    std::size_t size() const noexcept { return entries_.size(); }
    bool empty() const noexcept { return entries_.empty(); }
    const recommendation& operator[](std::size_t slot) const noexcept { return entries_[slot]; }

    void reserve(std::size_t count) { entries_.reserve(count); }
    std::size_t capacity() const noexcept { return entries_.capacity(); }
    void push_back(const recommendation& entry);
    void clear() noexcept;
    void clamp_times(std::int64_t now_ms) noexcept;  // later times become now

    // Stores into the last slot older than expired_ms, or appends.  No time in the history may be later than the entry's.
    void store(const recommendation& entry, std::int64_t expired_ms);

    // Return the largest and the smallest entry later than after_ms; none_is_highest and none_is_lowest without such an
    // entry.
    std::int32_t highest_after(std::int64_t after_ms) noexcept {
        return highest_.answers(after_ms) ? highest_.replicas : find_highest(after_ms);
    }
    std::int32_t lowest_after(std::int64_t after_ms) noexcept {
        return lowest_.answers(after_ms) ? lowest_.replicas : find_lowest(after_ms);
    }

  private:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    // The extreme of the entries later than after_ms, and the last time at which it was recommended.
    struct extreme {
        std::int32_t replicas = 0;
        std::int64_t time_ms = never;
        std::int64_t after_ms = never;  // never: unknown

        bool answers(std::int64_t after) const noexcept { return after >= after_ms && after < time_ms; }
    };

    std::int32_t find_highest(std::int64_t after_ms) noexcept;
    std::int32_t find_lowest(std::int64_t after_ms) noexcept;
    std::size_t expired_slot(std::int64_t expired_ms) const noexcept;
    void replace(std::size_t slot, const recommendation& entry) noexcept;
    void push(const recommendation& entry);
    [[gnu::cold]] void drop_surplus();  // rare: out of line, so that store() has a small frame
    void forget_extremes() noexcept;

    std::vector<recommendation> entries_;
    extreme highest_;
    extreme lowest_;
    std::size_t run_ = 0;  // from this slot to the end times never decrease; usually it is the oldest slot
};

}  // namespace gputide::decide
