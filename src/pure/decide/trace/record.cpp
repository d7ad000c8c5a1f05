// Filling a trace; see record.hpp.
#include "decide/trace/record.hpp"

#include "decide/hpa/events.hpp"

#include <algorithm>
#include <utility>

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

void record_inputs(trace& trace, const observation& observation) {
    std::vector<metric_trace> metrics = std::move(trace.metrics);  // for their memory
    std::vector<proposal> proposals = std::move(trace.hpa.proposals);
    trace = decide::trace{};
    metrics.clear();
    proposals.clear();
    trace.metrics = std::move(metrics);
    trace.hpa.proposals = std::move(proposals);
    trace.now_ms = observation.now_ms;
    trace.spec_replicas = observation.spec_replicas;
    trace.status_replicas = status_replicas(observation);
    trace.ready_replicas = ready_replicas(observation);
    trace.scale_readable = observation.scale_readable;
}

void record_readings(trace& trace, const observation& observation, const policy& policy, readings& readings) {
    trace.metrics.clear();
    for (std::size_t i = 0; i < policy.metrics.size(); ++i) {
        const reading& one = readings.read[i];
        const sample given = i < observation.samples.size() ? observation.samples[i] : sample{};
        const sample& read = one.from_hpa ? one.ruled.value : given;
        trace.metrics.push_back(
            {read, one.ruled.value, one.ruled.action, one.from_cache, one.from_hpa, readings.passed[i]});
    }
}

void record_executor(trace& trace, const observation& observation, const policy& policy, readings& readings,
                     const executor_trace& executor) {
    if (!policy.scaling.pause.paused) record_readings(trace, observation, policy, readings);
    trace.executor = executor;
}

void record_rate(trace& trace, const behavior_view& rules, const event_history& events, bool upward) {
    const rules_view& view = upward ? rules.up : rules.down;
    const std::int32_t policy = trace.hpa.bound.rate.policy;
    if (!rules.present || policy < 0) return;
    const std::int32_t period_s = view.policies[static_cast<std::size_t>(policy)].period_s;
    trace.hpa.counted_up = changed_within(events.ups, period_s, events.now_ms);
    trace.hpa.counted_down = changed_within(events.downs, period_s, events.now_ms);
    trace.hpa.budget_frees_ms = first_to_leave_ms(upward ? events.ups : events.downs, period_s, events.now_ms);
}

}  // namespace gputide::decide
