// Times on the command line and in what is printed.
#pragma once

#include <cstdint>
#include <string>

namespace gputided {

// Unix milliseconds, or RFC 3339 in UTC or with an offset ("2026-11-21T10:00:00Z").  Throws usage_error with the flag's name.
std::int64_t parse_time_ms(const std::string& text, const char* flag = "--at");

// "2026-11-21T10:00:00.250Z"
std::string time_text(std::int64_t time_ms);

// "15s", "1m30s", "500ms", "7d"; at least 1 ms.  Throws usage_error.
std::int64_t parse_duration_ms(const std::string& text, const char* flag);

// A time as above, "now", or a duration before now: "-7d".
std::int64_t parse_moment_ms(const std::string& text, std::int64_t now_ms, const char* flag);

}  // namespace gputided
