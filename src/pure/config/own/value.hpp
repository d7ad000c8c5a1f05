// How the values of gputide.io/ settings are written.  Each reader says whether the text reads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace gputide::config {

inline constexpr std::int64_t any_ms = std::numeric_limits<std::int64_t>::max();

bool read_flag(std::string_view value, bool& flag);                             // as Go's strconv.ParseBool
bool read_amount(std::string_view value, double& amount);                       // from 0 on
bool read_threshold(std::string_view value, std::optional<double>& threshold);  // any finite number
bool read_percent(std::string_view value, double least, double most, double& percent);
bool read_count(std::string_view value, std::int64_t least, std::int32_t& count);    // up to limits::max_replicas
bool read_gpus(std::string_view value, std::int64_t& milli);                         // a quantity above 0
bool read_duration(std::string_view value, std::int64_t most_ms, std::int64_t& ms);  // Go's, such as 1m30s
bool read_seconds(std::string_view value, std::int32_t& seconds);  // a duration in whole seconds, up to a day
bool read_long_duration(std::string_view value, double least_ms, double most_ms,
                        std::int64_t& ms);  // or whole days: "14d"

}  // namespace gputide::config
