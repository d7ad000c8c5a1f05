// Counters of a fleet, and their JSON.
#pragma once

#include "http/middle/sharing.hpp"
#include "http/middle/traffic.hpp"
#include "runtime/fleet/lateness.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace gputide::runtime {

struct fleet_stats {
    // Current values.
    std::uint64_t scalers = 0;
    std::uint64_t unobserved = 0;  // not polled because they have no observation yet
    std::uint64_t polls_in_flight = 0;
    std::uint64_t events_waiting = 0;
    std::uint64_t scheduled = 0;
    std::uint64_t streams = 0;  // open or waiting to be reopened

    // Totals.
    std::uint64_t polls = 0;
    std::uint64_t stream_polls = 0;  // polls that a stream caused before their time
    std::uint64_t stream_words = 0;
    std::uint64_t decisions = 0;
    std::uint64_t events = 0;  // made
    std::uint64_t events_taken = 0;
    std::uint64_t events_replaced = 0;  // replaced by a newer decision before they were taken
    std::uint64_t events_dropped = 0;   // removed with their scaler
    std::uint64_t polls_lost = 0;       // ended by the fleet because their result did not arrive: must stay 0
    std::uint64_t stalls = 0;
    std::int64_t stalled_ms = 0;
    std::uint64_t clock_steps_back = 0;
    std::map<std::string, std::uint64_t, std::less<>> errors;  // failed reads by status name
    std::size_t queries = 0;                                   // different queries that may be shared
    http::traffic_stats traffic;
    http::sharing_stats sharing;
    histogram lag;      // delay between planned and actual start of polls
    histogram latency;  // of polls with at least one request
    runtime::lateness lateness;
};

std::string stats_json(const fleet_stats& stats);

}  // namespace gputide::runtime
