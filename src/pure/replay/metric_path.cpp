#include "replay/metric_path.hpp"

#include <algorithm>

namespace gputide::replay {

void metric_path::record(const sample& now, std::int64_t time_ms, std::int32_t recorded_replicas) noexcept {
    recorded = {now.state, now.value, time_ms, -1.0};
    if (now.state != sample_state::ok) return;
    recorded.load = signal == signal::total ? now.value : now.value * std::max(recorded_replicas, 1);
}

measured metric_path::simulated(std::int32_t serving, std::int64_t now_ms) const noexcept {
    measured out = recorded;
    out.time_ms = now_ms;
    if (!fresh(now_ms)) {
        out.state = sample_state::empty;
        out.value = 0.0;
        out.load = -1.0;
    }
    if (out.state != sample_state::ok || signal == signal::total) return out;
    if (serving <= 0 && signal == signal::utilization) {
        out.state = sample_state::empty;
        out.value = 0.0;
        return out;
    }
    out.value = out.load / std::max(serving, 1);
    if (signal == signal::utilization) out.value = std::min(out.value, saturation);
    return out;
}

}  // namespace gputide::replay
