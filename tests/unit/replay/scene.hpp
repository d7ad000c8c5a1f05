// Short policies and recordings for the tests of this module.
#pragma once

#include "replay/run.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gputide::replay::scene {

inline constexpr std::int64_t start_ms = 1'795'168'800'000;
inline constexpr std::int64_t step_ms = 15'000;

inline decide::policy scaled_object(double target, manifest::target_type type = manifest::target_type::value,
                                    std::int32_t min = 1, std::int32_t max = 20) {
    decide::policy out;
    out.scaling.name = out.scaling.target_name = "web";
    out.scaling.min = min;
    out.scaling.max = max;
    decide::metric_policy metric;
    metric.name = "s0-prometheus";
    metric.type = type;
    metric.target_milli = static_cast<std::int64_t>(target * 1000);
    out.metrics = {metric};
    return out;
}

// KEDA's ignoreNullValues: nothing is 0.
inline std::vector<source_rules> null_is_zero(std::size_t metrics = 1) {
    sample zero;
    zero.state = sample_state::ok;
    zero.null_as_zero = true;
    return std::vector<source_rules>(metrics, source_rules{zero, zero});
}

inline replayer made(const decide::policy& by, settings how = {}) {
    return *replayer::make(by, std::move(how), null_is_zero(by.metrics.size()));
}

// One point every 15 s.
inline recording values(const std::vector<double>& all, std::int32_t replicas = -1) {
    recording out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t at_ms = start_ms + static_cast<std::int64_t>(i) * step_ms;
        (void)add_point(out, 0, at_ms, all[i]);
        if (replicas >= 0) (void)add_size(out, at_ms, replicas);
    }
    (void)tidy(out);
    return out;
}

// Quiet, then a step of load, then quiet: as a share of one replica.
inline std::vector<double> a_step(double low, double high, int quiet, int busy) {
    std::vector<double> out(static_cast<std::size_t>(quiet), low);
    out.insert(out.end(), static_cast<std::size_t>(busy), high);
    out.insert(out.end(), static_cast<std::size_t>(quiet), low);
    return out;
}

}  // namespace gputide::replay::scene
