// The two clocks: Unix time for what is decided and stored, steady time for how long something takes.
#pragma once

#include <chrono>
#include <cstdint>

namespace gputided {

template <class Clock>
std::int64_t clock_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

inline std::int64_t unix_now_ms() { return clock_ms<std::chrono::system_clock>(); }
inline std::int64_t steady_now_ms() { return clock_ms<std::chrono::steady_clock>(); }

// What a busy machine may add to a turn of the loop before /healthz calls it stuck.
inline constexpr std::int64_t slack_ms = 60'000;

}  // namespace gputided
