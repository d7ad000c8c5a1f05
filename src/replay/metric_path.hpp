// The way of one metric from the workload to the scaler: the recorded value, what the model makes of it, and the hops that
// hold it back.  No clock: time enters with every call.
#pragma once

#include "base/sample.hpp"
#include "replay/settings.hpp"

#include <cstdint>

namespace gputide::replay {

// What the scaler gets where the metric has no value: the rules of its source (KEDA's ignoreNullValues makes 0 of it).
struct source_rules {
    sample when_empty;         // nothing came
    sample when_not_a_number;  // NaN or an infinity
};

// A metric at one moment.
struct measured {
    sample_state state = sample_state::not_given;
    double value = 0.0;
    std::int64_t time_ms = 0;
    double load = 0.0;  // closed loop: offered, in units of one replica's value; -1: unknown
};

struct metric_path {
    replay::signal signal = replay::signal::utilization;
    double saturation = 100.0;
    std::int64_t hold_ms = 0;
    measured recorded;  // as it stands in the series
    measured exported;  // after the exporter's last beat
    measured scraped;   // after the last scrape

    // The recorded value with the size that it was recorded at.
    void record(const sample& now, std::int64_t time_ms, std::int32_t recorded_replicas) noexcept;
    bool fresh(std::int64_t now_ms) const noexcept {
        return recorded.state != sample_state::not_given && now_ms - recorded.time_ms < hold_ms;
    }
    // What an exporter of the replayed workload would tell now.
    //   utilization  min(saturation, load / serving); nobody serves: no value
    //   queue        load / serving; nobody serves: the whole load waits
    //   total        the value as recorded
    // Worked: 90 % on 4 replicas is a load of 360; on 3 serving replicas 120 → 100 %, on 6 it is 60 %.
    measured simulated(std::int32_t serving, std::int64_t now_ms) const noexcept;
};

}  // namespace gputide::replay
