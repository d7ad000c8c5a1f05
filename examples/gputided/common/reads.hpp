// What gputide_scaler_metrics and gputide_runtime_describe tell of a scaler's last reads, as values.
#pragma once

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

std::vector<metric_read> last_reads(const std::string& text);

}  // namespace gputided
