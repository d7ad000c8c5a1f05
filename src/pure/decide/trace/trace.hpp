// The complete reason of one decision, as numbers: the input and the result of each step.  decide() records it only on request; report.hpp
// makes texts and JSON of it.  The recorded inputs and the previous state give the same decision again.
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
#include "forecast/floor.hpp"

#include <cstdint>
#include <vector>

namespace gputide::decide {

// One trigger or metric as read.
struct metric_trace {
    sample read;   // as the observation had it
    sample value;  // after max-age and no-data, or from the cache
    no_data_action action = no_data_action::none;
    bool from_cache = false;
    bool from_hpa = false;
    passed_metric passed;
};

// The way in which the HPA half determined its size.
enum class hpa_path : std::int32_t {
    not_run = 0,
    unreadable = 1,        // FailedGetScale
    disabled_at_zero = 2,  // the size stays at 0
    above_max = 3,         // forced to max; no metric is read
    below_min = 4,         // forced to min; no metric is read
    no_answer = 5,         // failed metrics forbid a decision
    computed = 6,
};

struct hpa_trace {
    hpa_path path = hpa_path::not_run;
    std::vector<proposal> proposals;  // in the order in which the HPA reads them
    composite modifiers;              // where the policy has a formula
    combined combination;
    confirmation confirmed;
    std::int32_t grouped = 0;  // the recommendation in whole groups
    stabilized stable;
    std::int64_t held_since_ms = absent;  // when stable.held_by was last recommended
    std::int32_t up_window_s = 0;
    std::int32_t down_window_s = 0;
    replica_bounds within;
    std::int32_t affordable = 0;  // the budget's bound; int32 max: none
    std::int32_t floored = 0;     // on the forecast's floor
    bounded bound;
    std::int64_t counted_up = 0;  // changes that the deciding rate policy counted
    std::int64_t counted_down = 0;
    std::int64_t budget_frees_ms = absent;  // when the oldest counted event leaves that policy's period
    std::int32_t moved = 0;                 // after whole groups: what the half decided
};

struct forecast_trace {
    bool ran = false;
    forecast::report report;
    std::vector<forecast::said> ahead;  // of the slots to come, the next one first
    history_note history;
    forecast::floor_result floor;  // reason none: the pass had no size, and no floor
    std::int32_t reactive = 0;
    std::int32_t shadow = 0;  // the shadow's size after this pass
};

struct executor_trace {
    bool ran = false;
    executor_outcome outcome;
    activity triggers;
    composite modifiers;
    std::int64_t last_active_ms = absent;  // as the cooldown saw it
};

struct trace {
    // inputs
    std::int64_t now_ms = 0;
    std::int32_t spec_replicas = 0;
    std::int32_t status_replicas = 0;
    std::int32_t ready_replicas = 0;
    bool scale_readable = true;
    std::int64_t clock_set_back_ms = 0;  // how far the state's latest time was ahead; 0: it was not
    std::vector<metric_trace> metrics;   // as the last half that ran saw them; in the policy's order
    // steps
    executor_trace executor;
    hpa_trace hpa;
    forecast_trace forecast;
};

// ---- filling a trace during a decision; allocates

void record_inputs(trace& trace, const observation& observation);
void record_readings(trace& trace, const observation& observation, const policy& policy, readings& readings);
void record_executor(trace& trace, const observation& observation, const policy& policy, readings& readings,
                     const executor_trace& executor);

// Records the rate policy that decided, and the events that it counted.
void record_rate(trace& trace, const behavior_view& rules, const event_history& events, bool upward);

}  // namespace gputide::decide
