// Filling a trace; see record.hpp.
#include "decide/trace/record.hpp"

#include "decide/hpa/events.hpp"

#include <algorithm>

namespace gputide::decide {

namespace {

// When the oldest event that this period counts leaves it: the earliest moment at which the limit can move.
std::int64_t first_to_leave_ms(std::span<const scale_event> events, std::int32_t period_s, std::int64_t now_ms) {
    const std::int64_t period_ms = std::int64_t{period_s} * 1000;
    std::int64_t first = absent;
    for (const scale_event& one : events) {
        if (one.time_ms <= now_ms - period_ms) continue;
        const std::int64_t leaves_ms = one.time_ms + period_ms;
        first = first == absent ? leaves_ms : std::min(first, leaves_ms);
    }
    return first;
}

}  // namespace

void record_inputs(trace& to, const observation& seen) {
    to = trace{};
    to.now_ms = seen.now_ms;
    to.spec_replicas = seen.spec_replicas;
    to.status_replicas = status_replicas(seen);
    to.ready_replicas = ready_replicas(seen);
    to.scale_readable = seen.scale_readable;
}

void record_readings(trace& to, const observation& seen, const policy& by, readings& from) {
    to.metrics.clear();
    for (std::size_t i = 0; i < by.metrics.size(); ++i) {
        const reading& one = from.read[i];
        const sample read = i < seen.samples.size() ? seen.samples[i] : sample{};
        to.metrics.push_back({read, one.ruled.value, one.ruled.action, one.from_cache, from.passed[i]});
    }
}

void record_executor(trace& to, const observation& seen, const policy& by, readings& from, const executor_trace& what) {
    if (!by.scaling.pause.paused) record_readings(to, seen, by, from);
    to.executor = what;
}

void record_rate(trace& to, const behavior_view& rules, const event_history& events, bool upward) {
    const rules_view& view = upward ? rules.up : rules.down;
    const std::int32_t policy = to.hpa.bound.rate.policy;
    if (!rules.present || policy < 0) return;
    const std::int32_t period_s = view.policies[static_cast<std::size_t>(policy)].period_s;
    to.hpa.counted_up = changed_within(events.ups, period_s, events.now_ms);
    to.hpa.counted_down = changed_within(events.downs, period_s, events.now_ms);
    to.hpa.budget_frees_ms = first_to_leave_ms(upward ? events.ups : events.downs, period_s, events.now_ms);
}

}  // namespace gputide::decide
