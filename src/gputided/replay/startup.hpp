// The start-up delays of --startup: given by hand, or measured in production and kept in a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

// "60s", "2m", "0", or "@delays.csv": a duration a line, or CSV with a column startup, duration or seconds (else the last one
// counts); a bare number is seconds.  Of more than the library takes, as many quantiles stand for them.  To "4m+node" node_ms is
// added, which nobody knows without pools.  Throws usage_error.
std::vector<std::int64_t> startup_delays_ms(const std::vector<std::string>& given, std::optional<std::int64_t> node_ms);

// The median; delays_ms: at least one.
std::int64_t usual_delay_ms(std::vector<std::int64_t> delays_ms);

// "60 s, 90 s"; of more than five "250 durations: p10 41 s, p50 90 s, p90 200 s, longest 310 s".
std::string delays_text(std::vector<std::int64_t> delays_ms);

}  // namespace gputided
