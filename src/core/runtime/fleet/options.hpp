// What the host chose for its fleet of scalers; every default filled in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gputide::runtime {

// So near to its planned time a decision is taken for that time, so nobody may be gathered earlier.
inline constexpr std::int64_t on_time_ms = 1'000;

struct fleet_options {
    bool every_decision = false;  // events also for decisions that change nothing
    bool reports = false;         // events carry the decision's JSON
    bool observe_first = false;   // each poll waits for an observation that it asks for by an event
    bool share = true;            // equal queries are sent once
    std::uint64_t seed = 0;       // of the start offsets
    std::int64_t poll_timeout_ms = 10'000;
    std::int64_t start_spread_ms = 0;  // 0: the scaler's own shorter period
    std::int64_t gather_ms = 100;  // who is due within so long of one that begins, begins with it; at most on_time_ms
    std::int64_t share_window_ms = 5'000;
    std::int32_t max_in_flight = 1'024;
    std::int32_t max_per_endpoint = 64;
    std::size_t max_streams = 1'024;  // held open at once: in plain text each has a connection of its own
    std::int32_t breaker_failures = 5;
    std::int64_t breaker_base_ms = 1'000;
    std::int64_t breaker_cap_ms = 60'000;
};

}  // namespace gputide::runtime
