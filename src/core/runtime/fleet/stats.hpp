// Counters of a fleet and how they read as JSON.
#pragma once

#include "http/middle/sharing.hpp"
#include "http/middle/traffic.hpp"
#include "runtime/fleet/histogram.hpp"
#include "runtime/fleet/lateness.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace gputide::runtime {

struct fleet_stats {
    // Now.
    std::uint64_t scalers = 0;
    std::uint64_t unobserved = 0;  // no observation yet, so not polled
    std::uint64_t polls_in_flight = 0;
    std::uint64_t events_waiting = 0;
    std::uint64_t scheduled = 0;
    std::uint64_t streams = 0;  // held, whether they are open at this moment or wait to be opened again

    // Since the beginning.
    std::uint64_t polls = 0;
    std::uint64_t stream_polls = 0;  // of them, that began before their time, as a stream wanted
    std::uint64_t stream_words = 0;
    std::uint64_t decisions = 0;
    std::uint64_t events = 0;  // made
    std::uint64_t events_taken = 0;
    std::uint64_t events_replaced = 0;  // by a newer decision before they were taken
    std::uint64_t events_dropped = 0;   // with their scaler
    std::uint64_t polls_lost = 0;       // ended by the fleet itself because no answer came: must stay 0
    std::uint64_t stalls = 0;
    std::int64_t stalled_ms = 0;
    std::uint64_t clock_steps_back = 0;
    std::map<std::string, std::uint64_t, std::less<>> errors;  // reads that failed, by status name
    std::size_t queries = 0;                                   // different ones that may be shared
    http::traffic_stats traffic;
    http::sharing_stats sharing;
    histogram lag;      // how much later than planned polls began
    histogram latency;  // of polls that asked somebody
    runtime::lateness lateness;
};

std::string stats_json(const fleet_stats& stats);

}  // namespace gputide::runtime
