// The host's settings for a fleet, with all defaults filled in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gputide::runtime {

// A decision this close to its planned time counts as on time; polls are never gathered earlier.
inline constexpr std::int64_t on_time_ms = 1'000;

struct fleet_options {
    bool every_decision = false;  // also for decisions that change nothing
    bool reports = false;         // events contain the decision's JSON
    bool observe_first = false;   // each poll first requests an observation by an event
    bool share = true;            // send equal queries once
    std::uint64_t seed = 0;       // for the start offsets
    std::int64_t poll_timeout_ms = 10'000;
    std::int64_t start_spread_ms = 0;  // 0: the scaler's shorter period
    std::int64_t gather_ms = 100;      // polls due within this time begin together; at most on_time_ms
    std::int64_t share_window_ms = 5'000;
    std::int32_t max_in_flight = 1'024;
    std::int32_t max_per_endpoint = 64;
    std::size_t max_streams = 1'024;  // open at once; in plain text each needs its own connection
    std::int32_t breaker_failures = 5;
    std::int64_t breaker_base_ms = 1'000;
    std::int64_t breaker_cap_ms = 60'000;
};

}  // namespace gputide::runtime
