// The path of one metric from the workload to the scaler: the recorded value, the model applied to it, and the hops
// that delay it.  No clock: each call passes the time.
#pragma once

#include "base/sample.hpp"
#include "replay/settings.hpp"

#include <cstdint>

namespace gputide::replay {

// The scaler's sample if the metric has no value: the rules of its source (KEDA's ignoreNullValues makes it 0).
struct source_rules {
    sample when_empty;         // no value
    sample when_not_a_number;  // NaN or an infinity
};

// A metric at one time.
struct measured {
    sample_state state = sample_state::not_given;
    double value = 0.0;
    std::int64_t time_ms = 0;
    double load = 0.0;  // closed loop: the offered load, in units of one replica's value; -1: unknown
};

struct metric_path {
    replay::signal signal = replay::signal::utilization;
    double saturation = 100.0;
    std::int64_t hold_ms = 0;
    measured recorded;  // as in the series
    measured exported;  // after the exporter's last collection
    measured scraped;   // after the last scrape

    // The recorded value with the size at which it was recorded.
    void record(const sample& now, std::int64_t time_ms, std::int32_t recorded_replicas) noexcept;
    bool fresh(std::int64_t now_ms) const noexcept {
        return recorded.state != sample_state::not_given && now_ms - recorded.time_ms < hold_ms;
    }
    // Returns the value that an exporter of the replayed workload would report now.
    //   utilization  min(saturation, load / serving); no serving replica: no value
    //   queue        load / serving; no serving replica: the whole load is queued
    //   total        the value as recorded
    // Worked: 90 % on 4 replicas is a load of 360; on 3 serving replicas 120 → 100 %, on 6 it is 60 %.
    measured simulated(std::int32_t serving, std::int64_t now_ms) const noexcept;
};

}  // namespace gputide::replay
