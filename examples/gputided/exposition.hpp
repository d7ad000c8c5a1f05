// What gputided says of itself: counters and gauges as a Prometheus text page, and a short table.
#pragma once

#include "gputide/gputide.hpp"
#include "reads.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gputided {

// One scaler as the page shows it.
struct scaler_numbers {
    std::int64_t decisions = 0;
    std::int64_t scaled_up = 0;
    std::int64_t scaled_down = 0;
    std::int64_t write_failures = 0;
    std::int64_t tick_failures = 0;
    double tick_seconds = 0;
    gputide_decision last{};
    std::vector<metric_read> reads;               // the last of each metric
    std::map<std::string, std::int64_t> errors;   // by status name
    std::map<std::string, std::int64_t> limited;  // decisions by limited_by
};

struct numbers {
    std::map<std::string, scaler_numbers> scalers;  // by "namespace/name"
    std::int64_t reloads = 0;
    std::int64_t reload_failures = 0;
    std::int64_t state_save_failures = 0;
};

std::string metrics_page(const numbers& from);  // for Prometheus
std::string status_page(const numbers& from);   // for a person: a line per scaler

}  // namespace gputided
