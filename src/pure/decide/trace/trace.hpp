// All inputs and steps of one decision, as numbers. decide() records them only on request; report.hpp makes texts and JSON of
// them.  The recorded inputs and the previous state give the same decision again.
#pragma once

#include "decide/forecast/history.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/keda/executor.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/readings.hpp"
#include "decide/rules.hpp"
#include "decide/state/state.hpp"
#include "forecast/forecast.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gputide::decide {

// The read of one trigger or metric.
struct metric_trace {
    sample read;   // in the observation
    sample value;  // after max-age and no-data, or from the cache
    no_data_action action = no_data_action::none;
    bool from_cache = false;
    bool from_hpa = false;
    passed_metric passed;
};

// The path on which the HPA half determined its size.
enum class hpa_path : std::int32_t {
    not_run = 0,
    unreadable = 1,        // FailedGetScale
    disabled_at_zero = 2,  // the size stays at 0
    above_max = 3,         // forced to max; no metric is read
    below_min = 4,         // forced to min; no metric is read
    no_answer = 5,         // failed metrics do not allow a decision
    computed = 6,
};

struct hpa_trace {
    hpa_path path = hpa_path::not_run;
    std::vector<proposal> proposals;  // in the order in which the HPA reads them
    composite modifiers;              // if the policy has a formula
    combined combination;
    confirmation confirmed;
    std::int32_t grouped = 0;  // the recommendation in whole groups
    stabilized stable;
    std::int64_t held_since_ms = absent;  // last time at which stable.held_by was recommended
    std::int32_t up_window_s = 0;
    std::int32_t down_window_s = 0;
    replica_bounds within;
    std::int32_t affordable = 0;  // maximum within the budget; int32 max: no budget
    std::int32_t floored = 0;     // after the forecast's floor
    bounded bound;
    std::int64_t counted_up = 0;  // changes counted by the deciding rate policy
    std::int64_t counted_down = 0;
    std::int64_t budget_frees_ms = absent;  // time at which the oldest counted event leaves that policy's period
    std::int32_t moved = 0;                 // after whole groups: the size of the HPA half
};

struct forecast_trace {
    bool ran = false;
    forecast::report report;
    std::vector<forecast::slot_forecast> ahead;  // of future slots, the next slot first
    history_note history;
    forecast::floor_result floor;  // reason none: the pass computed no size and no floor
    std::int32_t reactive = 0;
    std::int32_t shadow = 0;  // the shadow's size after this pass
};

struct executor_trace {
    bool ran = false;
    executor_outcome outcome;
    activity triggers;
    composite modifiers;
    std::int64_t last_active_ms = absent;  // start of the cooldown, if the object was active before
};

struct trace {
    // inputs
    std::int64_t now_ms = 0;
    std::int32_t spec_replicas = 0;
    std::int32_t status_replicas = 0;
    std::int32_t ready_replicas = 0;
    bool scale_readable = true;
    std::int32_t startable_replicas = -1;
    std::string no_capacity;             // why no more can start
    std::int64_t clock_set_back_ms = 0;  // how far the state's latest time was ahead; 0: it was not ahead
    std::vector<metric_trace> metrics;   // in the policy's order, from the last half that ran
    // steps
    executor_trace executor;
    hpa_trace hpa;
    forecast_trace forecast;
};

// Returns the formula's result: that of the HPA half if it ran, as it decides the size.
inline const composite& composite_of(const trace& trace) noexcept {
    return trace.hpa.proposals.empty() ? trace.executor.modifiers : trace.hpa.modifiers;
}

// ---- filling a trace during a decision; allocates memory

void record_inputs(trace& trace, const observation& observation);
void record_readings(trace& trace, const observation& observation, const policy& policy, readings& readings);
void record_executor(trace& trace, const observation& observation, const policy& policy, readings& readings,
                     const executor_trace& executor);

// Records the rate policy of `behavior` that decided, and the events that it counted.
void record_rate(trace& trace, const manifest::behavior& behavior, const event_history& events, bool upward);

}  // namespace gputide::decide
