// Differences of counters.
#include "source/dcgm/rates.hpp"

#include <utility>

namespace gputide::source::dcgm {

picks counter_history::advance(picks now, std::int64_t now_ms) {
    const std::lock_guard hold(guard_);
    std::vector<pick> rates;
    for (pick& one : now.all) {
        const counted seen{one.value, one.time_ms != 0 ? one.time_ms : now_ms};
        const auto [place, is_new] = before_.emplace(one.series, seen);
        counted& earlier = place->second;
        const std::int64_t passed_ms = seen.time_ms - earlier.time_ms;
        if (passed_ms < 0) earlier = seen;  // the clock was set back
        if (is_new || passed_ms <= 0) continue;
        const double counted_since = seen.value >= earlier.value ? seen.value - earlier.value : seen.value;
        earlier = seen;
        if (passed_ms > longest_gap_ms) continue;
        one.value = counted_since * 1000.0 / static_cast<double>(passed_ms);
        rates.push_back(std::move(one));
    }
    now.all = std::move(rates);
    for (auto one = before_.begin(); one != before_.end();) {
        one = now_ms - one->second.time_ms > longest_gap_ms ? before_.erase(one) : std::next(one);
    }
    return now;
}

}  // namespace gputide::source::dcgm
