#include "decide/state/history.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

constexpr std::size_t no_slot = static_cast<std::size_t>(-1);

// Drops entries that can never be the least or the greatest of a window that ends later; sorts the rest by time.
void drop_dominated(std::vector<recommendation>& entries) {
    std::sort(entries.begin(), entries.end(),
              [](const recommendation& a, const recommendation& b) { return a.time_ms > b.time_ms; });
    std::int32_t lowest = recommendation_history::none_is_lowest;
    std::int32_t highest = recommendation_history::none_is_highest;
    const auto dominated = [&](const recommendation& entry) {
        const bool yes = entry.replicas >= lowest && entry.replicas <= highest;
        lowest = std::min(lowest, entry.replicas);
        highest = std::max(highest, entry.replicas);
        return yes;
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), dominated), entries.end());
    std::reverse(entries.begin(), entries.end());
}

}  // namespace

void recommendation_history::push_back(const recommendation& entry) {
    push(entry);
    forget_extremes();
}

void recommendation_history::clear() noexcept {
    entries_.clear();
    run_ = 0;
    forget_extremes();
}

// Clamps the times without changing the order of the entries.
void recommendation_history::clamp_times(std::int64_t now_ms) noexcept {
    for (recommendation& entry : entries_) entry.time_ms = std::min(entry.time_ms, now_ms);
    forget_extremes();
}

void recommendation_history::store(const recommendation& entry, std::int64_t expired_ms) {
    const std::size_t slot = expired_slot(expired_ms);
    if (slot != no_slot) {
        replace(slot, entry);
    } else {
        if (entries_.size() >= max_recommendations) drop_surplus();
        push(entry);
    }
    if (entry.replicas >= highest_.replicas) highest_ = {entry.replicas, entry.time_ms, highest_.after_ms};
    if (entry.replicas <= lowest_.replicas) lowest_ = {entry.replicas, entry.time_ms, lowest_.after_ms};
}

std::int32_t recommendation_history::find_highest(std::int64_t after_ms) noexcept {
    highest_ = {none_is_highest, never, after_ms};
    for (const recommendation& entry : entries_) {
        if (entry.time_ms <= after_ms || entry.replicas < highest_.replicas) continue;
        const bool newer = entry.replicas > highest_.replicas || entry.time_ms > highest_.time_ms;
        if (newer || highest_.time_ms == never) highest_ = {entry.replicas, entry.time_ms, after_ms};
    }
    return highest_.replicas;
}

std::int32_t recommendation_history::find_lowest(std::int64_t after_ms) noexcept {
    lowest_ = {none_is_lowest, never, after_ms};
    for (const recommendation& entry : entries_) {
        if (entry.time_ms <= after_ms || entry.replicas > lowest_.replicas) continue;
        const bool newer = entry.replicas < lowest_.replicas || entry.time_ms > lowest_.time_ms;
        if (newer || lowest_.time_ms == never) lowest_ = {entry.replicas, entry.time_ms, after_ms};
    }
    return lowest_.replicas;
}

// Slots are usually used in turn: the oldest entry starts the run, and the one after it has not expired.
std::size_t recommendation_history::expired_slot(std::int64_t expired_ms) const noexcept {
    const auto expired = [&](std::size_t slot) { return entries_[slot].time_ms < expired_ms; };
    std::size_t end = entries_.size();
    if (run_ < end) {
        if (expired(run_)) {
            std::size_t slot = run_;
            while (slot + 1 < end && expired(slot + 1)) ++slot;
            return slot;
        }
        end = run_;
    }
    while (end > 0 && !expired(end - 1)) --end;
    return end > 0 ? end - 1 : no_slot;
}

void recommendation_history::replace(std::size_t slot, const recommendation& entry) noexcept {
    const std::int64_t lost_ms = entries_[slot].time_ms;
    if (lost_ms == highest_.time_ms) highest_ = {};
    if (lost_ms == lowest_.time_ms) lowest_ = {};
    entries_[slot] = entry;
    if (slot >= run_) run_ = slot + 1;
    if (run_ < entries_.size()) return;
    while (run_ > slot + 1 && (run_ == entries_.size() || entries_[run_ - 1].time_ms <= entries_[run_].time_ms)) --run_;
}

void recommendation_history::push(const recommendation& entry) {
    if (!entries_.empty() && entries_.back().time_ms > entry.time_ms) run_ = entries_.size();
    entries_.push_back(entry);
}

void recommendation_history::drop_surplus() {
    drop_dominated(entries_);
    if (entries_.size() >= max_recommendations) entries_.erase(entries_.begin());
    run_ = 0;
    forget_extremes();
}

void recommendation_history::forget_extremes() noexcept {
    highest_ = {};
    lowest_ = {};
}

}  // namespace gputide::decide
