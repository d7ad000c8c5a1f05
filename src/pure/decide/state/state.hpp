// The state of one scaler between ticks.  A value type: copy it to branch, save it (text.hpp) to survive a restart.
#pragma once

#include "decide/decision.hpp"
#include "decide/forecast/history.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/state/history.hpp"
#include "forecast/memory.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gputide::decide {

struct scale_event {
    std::int32_t change = 0;  // > 0
    bool outdated = false;
    std::int64_t time_ms = 0;
};

// The HPA half's last result.  Decisions between two of its passes repeat it, so that displayed values do not alternate.
struct verdict : hpa_result {
    std::int64_t time_ms = absent;  // absent: no result yet
};

// The HPA half's last read of a metric, after the fallback.  KEDA's poll uses it if policy.takes_hpa_reads.
// kedacore/keda pkg/scaling/cache/metricscache/metrics_record.go.
struct hpa_read {
    std::int64_t time_ms = absent;  // absent: no read
    std::int64_t value_milli = 0;
    bool active = false;  // also true if the fallback is active
    bool error = false;   // an error without a fallback
    bool fallback = false;
};

struct failure_count {
    std::int32_t failures = 0;
    bool failing = false;

    friend bool operator==(const failure_count&, const failure_count&) = default;
};

struct metric_health : failure_count {
    std::optional<failure_count> held;  // strict profile: the HPA half's own count; see read_for_hpa(); not saved
    bool active = false;                // by the last executor half, for that decision's texts; not saved
    sample last;                        // of the last half that counted, for useCachedMetrics
    hpa_read read;                      // for KEDA's poll
};

struct load_forecast;

// Forgets what KEDA keeps of reads with an object's scale loop.
void forget_reads(std::vector<metric_health>& health) noexcept;

struct state {
    std::uint32_t decisions = 0;  // the number of decisions made
    std::uint32_t recorded = 0;   // the number of the newest recorded decision

    // Part of the ids of its decisions, so that no other state accepts them; see id_of().
    std::uint32_t id_seed = 0;
    std::uint32_t original_seed = 0;       // for the first original_decisions, made before this state was copied
    std::uint32_t original_decisions = 0;  // at most `decisions`

    // executor half
    std::int64_t created_ms = absent;  // creationTimestamp; if unknown, the time of the first tick
    std::int64_t last_active_ms = absent;
    std::int64_t last_executor_ms = absent;  // last run by its period
    std::vector<metric_health> health;       // one per metric
    bool fallback_active = false;

    // HPA half
    bool seen = false;  // the first observation has been recorded
    bool scaled_to_zero = false;
    std::int64_t last_hpa_ms = absent;  // last run by its period
    spec_sums spec;                     // of the manifest at the last tick; 0: unknown
    recommendation_history recommendations;
    std::vector<scale_event> ups;
    std::vector<scale_event> downs;
    verdict last_verdict;

    // The latest time that was passed to this state; no time in the state is later.  A decision at an earlier time means that
    // the clock was set back: set_clock().
    std::int64_t newest_ms = absent;

    condition_list conditions{};  // as last reported, for transition times
    std::string scale_error;      // reason of a failed read or write of the size, for the conditions; not saved
    std::vector<std::int32_t> confirmations;  // directions of the last n proposals, for gputide.io/confirm

    std::vector<load_forecast> forecast;  // one element if the policy has a forecast, else empty
};

// The state of gputide.io/forecast.  The shadow is the HPA half without the floor; it uses only the HPA half's members of its
// state.
struct load_forecast {
    std::uint32_t subject = 0;  // checksum of the forecast metric; see forecast_rule
    forecast::settings settings = {};
    forecast::memory memory = {};
    std::int32_t need = -1;             // replicas for the forecast load in the last pass; -1: none
    double load = forecast::no_number;  // in the last pass
    history_note history = {};
    std::int32_t shadow_replicas = -1;  // -1: starts from the current size
    state shadow = {};
};

// ---- ids of decisions: a state accepts only its own decisions and records each once

// Returns the id of a state's decision number `number`, from 1: the number, and a checksum over its sizes and the state's
// seed.
std::uint64_t id_of(const state& state, const decision& decision, std::uint32_t number) noexcept;

// Gives the state's next decisions ids that no other state accepts.  Call it for a new state and for a copy.  A decision from
// before the copy may be recorded in both states; in a copy of a copy, only a decision from after the first copy.
void reseed_ids(state& state, std::uint32_t id_seed) noexcept;

// ---- a clock that was set back

// Sets every time later than now to now, so that a window, a rate period or a cooldown is extended at most once, and makes
// both halves due.  KEDA and the HPA wait until the clock has caught up; gputide does not, in either profile.  Returns how
// far the latest time was ahead, in milliseconds.  Costs one comparison on a usual tick.
// Example: a decision at day 2 by mistake, the next at day 1 → its recommendation counts as of day 1 and expires 300 s later.
std::int64_t set_clock(state& state, std::int64_t now_ms) noexcept;

// Returns the latest time in a state; absent: none.  For a state that was loaded.
std::int64_t newest_time_of(const state& state) noexcept;

// ---- the HPA half's last result: stored when the half runs, repeated when it does not

// Copies the last result into a decision. limited_by is the executor's if that half ran and waits, else that of the last
// result; not_due if neither half ran, or without a result.
void show_verdict(const verdict& last, std::int64_t now_ms, decision& decision) noexcept;

// ---- inherited state: what another process stored about the same scaler in the ScaledObject's status, for a new leader or a
// restarted process

struct inherited_health {
    std::string metric;  // "s0-prometheus"
    std::int32_t failures = 0;
    bool failing = false;
};

struct inherited_state {
    std::int64_t last_active_ms = absent;
    std::vector<inherited_health> health;
};

// Continues from an inherited state.  The later of both last active times is used, so that a cooldown continues; a time ahead
// of now counts as now.  Failures are inherited only before the first poll.
void inherit(const policy& policy, state& state, const inherited_state& inherited_state, std::int64_t now_ms);

}  // namespace gputide::decide
