// The two clocks (Unix time for decisions and files, steady time for durations), and times as text.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace gputided {

template <class Clock>
std::int64_t clock_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count();
}

inline std::int64_t unix_now_ms() { return clock_ms<std::chrono::system_clock>(); }
inline std::int64_t steady_now_ms() { return clock_ms<std::chrono::steady_clock>(); }

// Maximum delay of the loop on a busy machine; /healthz reports a longer delay as stuck.
inline constexpr std::int64_t slack_ms = 60'000;

// Parses Unix milliseconds, or RFC 3339 in UTC or with an offset ("2026-11-21T10:00:00Z").  Throws usage_error with the flag's
// name.
std::int64_t parse_time_ms(const std::string& text, const char* flag = "--at");

// Parses the time in a CSV line: as above, or Unix seconds.  Throws usage_error.
std::int64_t parse_cell_time_ms(const std::string& cell);

// Returns the time of --at, or now without the flag.
std::int64_t time_or_now_ms(const std::string& at);

// Returns "2026-11-21T10:00:00.250Z".
std::string time_text(std::int64_t time_ms);

// Parses "15s", "1m30s", "500ms" or "7d"; minimum 1 ms.  Throws usage_error.
std::int64_t parse_duration_ms(const std::string& text, const char* flag);

// Parses a time, "now", or a duration before now such as "-7d".
std::int64_t parse_moment_ms(const std::string& text, std::int64_t now_ms, const char* flag);

}  // namespace gputided
