// An entry stands on the level of the highest digit (base 64) in which its time differs from now, in the slot of that digit.
// So all of a lower level comes before all of a higher one, slots come in the order of their numbers, and an entry moves
// down at most once a level while its time comes nearer.
#include "runtime/schedule.hpp"

#include <algorithm>

namespace gputide::runtime {
namespace {

constexpr std::size_t kept_capacity = 256;  // of a bucket of single milliseconds, which fills again soon

int highest_bit(std::uint64_t of) { return of == 0 ? 0 : 63 - __builtin_clzll(of); }

}  // namespace

void schedule::put(const item& one) {
    const std::int64_t due_ms = std::clamp(one.due_ms, now_ms_, last_ms);
    const int level = highest_bit(static_cast<std::uint64_t>(due_ms ^ now_ms_)) / bits;
    const auto slot = static_cast<std::size_t>(due_ms >> (bits * level)) % slots;
    wheel& on = levels_[static_cast<std::size_t>(level)];
    bucket& into = on.buckets[slot];
    into.items.push_back(one);
    into.earliest_ms = std::min(into.earliest_ms, one.due_ms);
    on.filled |= std::uint64_t{1} << slot;
}

void schedule::add(const item& one) {
    put(one);
    ++size_;
}

bool schedule::first(spot& at) const {
    for (int level = 0; level < level_count; ++level) {
        const std::uint64_t filled = levels_[static_cast<std::size_t>(level)].filled;
        if (filled == 0) continue;
        at = {level, static_cast<std::size_t>(__builtin_ctzll(filled))};
        return true;
    }
    return false;
}

// The digits of now above the level, the slot's number, zeros.
std::int64_t schedule::start_of(const spot& at) const {
    const int below = bits * at.level;
    return ((now_ms_ >> (below + bits) << bits) | static_cast<std::int64_t>(at.slot)) << below;
}

// To the levels below; the time has come to the start of this slot.  What an exhausted memory leaves behind is found again.
void schedule::spread(const spot& from) {
    wheel& on = levels_[static_cast<std::size_t>(from.level)];
    std::vector<item>& items = on.buckets[from.slot].items;
    while (!items.empty()) {
        put(items.back());
        items.pop_back();
    }
    on.buckets[from.slot] = {};
    on.filled &= ~(std::uint64_t{1} << from.slot);
}

void schedule::take(std::int64_t now_ms, std::size_t most, std::vector<item>& due) {
    now_ms = std::clamp(now_ms, now_ms_, last_ms);
    spot at;
    while (most > 0 && first(at)) {
        const std::int64_t start_ms = start_of(at);
        if (start_ms > now_ms) break;
        now_ms_ = start_ms;
        if (at.level > 0) {
            spread(at);
            continue;
        }
        bucket& from = levels_[0].buckets[at.slot];
        const std::size_t count = std::min(most, from.items.size());
        due.insert(due.end(), from.items.end() - static_cast<std::ptrdiff_t>(count), from.items.end());
        from.items.resize(from.items.size() - count);
        most -= count;
        size_ -= count;
        if (!from.items.empty()) return;
        from.earliest_ms = never;
        if (from.items.capacity() > kept_capacity) from.items = {};
        levels_[0].filled &= ~(std::uint64_t{1} << at.slot);
    }
    if (most > 0) now_ms_ = now_ms;
}

std::int64_t schedule::next_ms() const {
    spot at;
    if (!first(at)) return never;
    // A bucket of one millisecond is what it says; late entries wait in the one of now.
    if (at.level == 0) return start_of(at);
    return levels_[static_cast<std::size_t>(at.level)].buckets[at.slot].earliest_ms;
}

void schedule::rebuild(const std::vector<item>& from) {
    schedule next;
    next.now_ms_ = now_ms_;
    for (const item& one : from) next.add(one);
    *this = std::move(next);
}

}  // namespace gputide::runtime
