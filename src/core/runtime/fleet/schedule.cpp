// An entry is on the level of the highest digit (base 64) in which its time differs from now, in the slot of that digit.  So
// entries of a lower level are due before entries of a higher level, and slots of a level are due in index order.  An entry moves
// down at most once per level.
#include "runtime/fleet/schedule.hpp"

#include <algorithm>

namespace gputide::runtime {
namespace {

// A level-0 bucket keeps this capacity when emptied, because it is soon refilled
constexpr std::size_t kept_capacity = 256;

int highest_bit(std::uint64_t bits) { return bits == 0 ? 0 : 63 - __builtin_clzll(bits); }

}  // namespace

void schedule::put(const item& entry) {
    const std::int64_t due_ms = std::clamp(entry.due_ms, now_ms_, last_ms);
    const int level = highest_bit(static_cast<std::uint64_t>(due_ms ^ now_ms_)) / bits;
    const auto slot = static_cast<std::size_t>(due_ms >> (bits * level)) % slots;
    wheel& ring = levels_[static_cast<std::size_t>(level)];
    bucket& entries = ring.buckets[slot];
    entries.items.push_back(entry);
    entries.earliest_ms = std::min(entries.earliest_ms, entry.due_ms);
    ring.filled |= std::uint64_t{1} << slot;
}

void schedule::add(const item& entry) {
    put(entry);
    ++size_;
}

bool schedule::find_first(spot& place) const {
    for (int level = 0; level < level_count; ++level) {
        const std::uint64_t filled = levels_[static_cast<std::size_t>(level)].filled;
        if (filled == 0) continue;
        place = {level, static_cast<std::size_t>(__builtin_ctzll(filled))};
        return true;
    }
    return false;
}

// Returns the start of a slot: the higher digits of now, the slot's index, then zeros.
std::int64_t schedule::start_ms(const spot& place) const {
    const int below = bits * place.level;
    return ((now_ms_ >> (below + bits) << bits) | static_cast<std::int64_t>(place.slot)) << below;
}

// Moves a slot's entries to lower levels, once now has reached its start.  If put() throws std::bad_alloc, the remaining entries
// stay in the slot and are moved by the next call.
void schedule::spread(const spot& place) {
    wheel& ring = levels_[static_cast<std::size_t>(place.level)];
    std::vector<item>& items = ring.buckets[place.slot].items;
    while (!items.empty()) {
        put(items.back());
        items.pop_back();
    }
    ring.buckets[place.slot] = {};
    ring.filled &= ~(std::uint64_t{1} << place.slot);
}

void schedule::take(std::int64_t now_ms, std::size_t limit, std::vector<item>& due) {
    now_ms = std::clamp(now_ms, now_ms_, last_ms);
    spot place;
    while (limit > 0 && find_first(place)) {
        const std::int64_t reached_ms = start_ms(place);
        if (reached_ms > now_ms) break;
        now_ms_ = reached_ms;
        if (place.level > 0) {
            spread(place);
            continue;
        }
        bucket& entries = levels_[0].buckets[place.slot];
        const std::size_t count = std::min(limit, entries.items.size());
        due.insert(due.end(), entries.items.end() - static_cast<std::ptrdiff_t>(count), entries.items.end());
        entries.items.resize(entries.items.size() - count);
        limit -= count;
        size_ -= count;
        if (!entries.items.empty()) return;
        entries.earliest_ms = never;
        if (entries.items.capacity() > kept_capacity) entries.items = {};
        levels_[0].filled &= ~(std::uint64_t{1} << place.slot);
    }
    if (limit > 0) now_ms_ = now_ms;
}

std::int64_t schedule::next_ms() const {
    spot place;
    if (!find_first(place)) return never;
    // A level-0 bucket covers exactly one millisecond.  Late entries are in the bucket of now.
    if (place.level == 0) return start_ms(place);
    return levels_[static_cast<std::size_t>(place.level)].buckets[place.slot].earliest_ms;
}

namespace {

constexpr std::int64_t slack_ms = 250;                // delay that is normal on a busy machine
constexpr std::int64_t max_step_ms = 31'536'000'000;  // a year: a longer step is a jump of the clock

// Mixes bits as in SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

}  // namespace

void poll_clock::advance(std::int64_t clock_ms, std::int64_t next_ms) {
    const bool first = !started_;
    std::int64_t step_ms = 0;
    if (!first && __builtin_sub_overflow(clock_ms, clock_ms_, &step_ms)) step_ms = 0;
    started_ = true;
    clock_ms_ = clock_ms;
    if (step_ms < 0) {
        ++steps_back_;
        return;
    }
    step_ms = std::min(step_ms, max_step_ms);
    const std::int64_t allowed_delay_ms = std::max(slack_ms, 2 * last_step_ms_);
    last_step_ms_ = step_ms;
    std::int64_t taken_ms = step_ms;
    if (next_ms != schedule::never) {
        taken_ms = std::min(step_ms, std::max<std::int64_t>(0, next_ms - now_ms_) + allowed_delay_ms);
    }
    if (taken_ms < step_ms) ++stalls_;
    now_ms_ += taken_ms;
    stalled_ms_ += step_ms - taken_ms;
}

// Hashes the name with FNV-1a, mixed with the seed, and uses the upper 53 bits as a fraction.
std::int64_t start_offset_ms(std::string_view name, std::uint64_t seed, std::int64_t width_ms) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    const double fraction = static_cast<double>(mixed(hash ^ mixed(seed + 0x9e3779b97f4a7c15U)) >> 11U) * 0x1.0p-53;
    return static_cast<std::int64_t>(fraction * static_cast<double>(std::max<std::int64_t>(0, width_ms)));
}

}  // namespace gputide::runtime
