#include "replay/workload.hpp"

#include <algorithm>

namespace gputide::replay {
namespace {

// A large jump draws one delay per group of replicas, and a long list adds new replicas to its last entry: a manifest
// with max 2147483647 must not need memory for as many.
constexpr std::int32_t most_draws = 256;
constexpr std::size_t most_batches = 4'096;

}  // namespace

std::uint64_t draws::next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
}

std::int32_t workload::ready(std::int64_t now_ms) noexcept {
    std::size_t done = 0;
    for (; done < waiting_.size() && waiting_[done].ready_ms <= now_ms; ++done) {
        ready_ += waiting_[done].count;
        starting_ -= waiting_[done].count;
    }
    if (done > 0) waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
    return ready_;
}

void workload::resize(std::int32_t to, std::int64_t now_ms) {
    ready(now_ms);
    const std::int32_t change = to - replicas();
    if (change > 0) start(change, now_ms);
    if (change < 0) stop(-change);
}

void workload::start(std::int32_t count, std::int64_t now_ms) {
    if (startup_ms_.empty()) {
        ready_ += count;
        return;
    }
    starting_ += count;
    const std::int32_t each = (count - 1) / most_draws + 1;
    while (count > 0) {
        const std::int32_t now = std::min(each, count);
        count -= now;
        if (waiting_.size() >= most_batches) {
            waiting_.back().count += now;
            continue;
        }
        const batch entry{now_ms + startup_ms_[static_cast<std::size_t>(draws_.below(startup_ms_.size()))], now};
        const auto at = std::upper_bound(waiting_.begin(), waiting_.end(), entry,
                                         [](const batch& a, const batch& b) { return a.ready_ms < b.ready_ms; });
        waiting_.insert(at, entry);
    }
}

void workload::stop(std::int32_t count) {
    while (count > 0 && !waiting_.empty()) {
        batch& last = waiting_.back();
        const std::int32_t now = std::min(count, last.count);
        last.count -= now;
        starting_ -= now;
        count -= now;
        if (last.count == 0) waiting_.pop_back();
    }
    ready_ -= std::min(count, ready_);
}

}  // namespace gputide::replay
