// Times on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace gputided {

// Unix milliseconds, or RFC 3339 in UTC or with an offset ("2026-11-21T10:00:00Z").  Throws usage_error.
std::int64_t parse_time_ms(const std::string& text);

}  // namespace gputided
