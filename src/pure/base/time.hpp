// Times and durations as text.  Unix milliseconds in UTC; no clock is read here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide {

std::string format_rfc3339_ms(std::int64_t unix_ms);  // 2026-11-21T10:00:00.000Z
void append_rfc3339_ms(std::string& out, std::int64_t unix_ms);
std::string format_rfc3339_s(std::int64_t unix_ms);  // 2026-11-21T10:00:00Z, cut to the second

// Parses RFC 3339 with any fraction and offset.  Years 1..9999.
std::optional<std::int64_t> parse_rfc3339(std::string_view text);

// Parses an RFC 9110 HTTP date, preferred form: "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 1123).
std::optional<std::int64_t> parse_http_date(std::string_view text);

// Parses like Go's time.ParseDuration: "30s", "1m30s", "1.5s", "-2h", "0", "100ms", "5us".  In milliseconds, fractions
// cut toward zero.  Nothing on "", "1.5", an unknown unit or an overflow of int64 nanoseconds.
std::optional<std::int64_t> parse_go_duration_ms(std::string_view text);

// Formats a duration for people: "1m30s", "250ms", "0s".
std::string format_duration_ms(std::int64_t ms);

}  // namespace gputide
