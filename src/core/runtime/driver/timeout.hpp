// When a call's timeout is over, on either of the clocks that somebody waits by.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace gputide::runtime {

inline constexpr std::int64_t forever_ms = -1;              // as a timeout
inline constexpr std::int64_t longest_wait_ms = 3'600'000;  // then the clock is looked at again

// For a condition variable: forever is longer than any process, as the end of the clock's own range overflows in its waits.
inline std::chrono::steady_clock::time_point end_of(std::int64_t timeout_ms) {
    using std::chrono::steady_clock;
    const steady_clock::duration most = std::chrono::hours(24 * 365 * 10);
    if (timeout_ms == forever_ms) return steady_clock::now() + most;
    return steady_clock::now() + std::min<steady_clock::duration>(most, std::chrono::milliseconds(timeout_ms));
}

// On the client's steady clock.
inline std::int64_t end_ms_of(std::int64_t now_ms, std::int64_t timeout_ms) {
    return timeout_ms == forever_ms ? std::numeric_limits<std::int64_t>::max() : now_ms + timeout_ms;
}

// For one wait.
inline std::int64_t left_ms(std::int64_t until_ms, std::int64_t now_ms) {
    return std::min(until_ms - now_ms, longest_wait_ms);
}

}  // namespace gputide::runtime
