// What gputide_scaler_metrics tells of the last reads, as values.
#pragma once

#include "gputide/gputide.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputided {

struct metric_read {
    std::string name;
    std::optional<double> value;
    std::optional<std::int64_t> age_ms;
    std::int64_t latency_ms = 0;
    std::string error_status;  // "E_AUTH"; "": the read went well, or there was none
    std::string error;         // place and message
};

std::vector<metric_read> last_reads(const gputide::scaler& of);

}  // namespace gputided
