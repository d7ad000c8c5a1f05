// Rules beyond KEDA and the HPA, each enabled by an annotation gputide.io/... Pure; each takes the value of one step of the
// decision and returns the value for the next step.
#pragma once

#include "base/sample.hpp"
#include "decide/hpa/behavior.hpp"
#include "decide/hpa/proposals.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <algorithm>
#include <cstdint>

namespace gputide::decide {

// ---- sample age and missing data

enum class no_data_action : std::int32_t {
    none = 0,      // use the sample unchanged
    hold = 1,      // this metric proposes the current size and keeps a running target active
    fallback = 2,  // use the fallback immediately, without waiting for its failure threshold
    error = 3,     // a failed read, even if ignoreNullValues has replaced it by 0
};

struct ruled_sample {
    sample value;
    no_data_action action = no_data_action::none;
};

// Applies both rules to a sample.
//   gputide.io/max-sample-age: an older sample is stale; a sample without a time is never stale
//   gputide.io/no-data (hold, fallback, zero, error): for a query that worked without a usable value (empty, NaN or infinite, stale);
//   a 0 made by ignoreNullValues counts as no value.  A failed read (auth, timeout, ...) stays an error
// Example: max age 60 s, sample 61 s old, no-data hold → stale, hold.
ruled_sample apply_sample_rules(const manifest::metric_rules& rules, const sample& read, std::int64_t now_ms) noexcept;

// ---- gputide.io/confirm: a direction must repeat before the size changes

struct confirmation {
    std::int32_t replicas = 0;  // the recommendation if it is confirmed, else the current size
    std::int32_t agreeing = 0;  // of the last n passes, this one included
    bool held = false;
};

// Confirms a recommendation: k of the last n raw recommendations, this one included, must have the same direction (up,
// down).  An unconfirmed one does not enter the stabilization history, so that a single outlier cannot delay a scale-down.
// Example: 2 of 3, current 4; raw 9 → held (1 of 3); raw 4 → 4; raw 8 → up again within three → 8.
inline bool needs_confirmation(const policy& policy) noexcept { return policy.scaling.extra.confirm_k > 1; }
confirmation confirm(const policy& policy, state& state, std::int32_t current, std::int32_t raw);

// ---- gputide.io/group-size: replicas change by whole groups, as multi-node inference needs

// Rounds a recommendation up to whole groups.  Groups of 4: 9 → 12, 8 → 8.  Group size 0 or 1: unchanged.
std::int32_t whole_groups_up(const manifest::extra_rules& rules, std::int32_t replicas) noexcept;

// Corrects a size after rate limit and bounds, which ignore groups: an increase is cut to whole groups, a decrease keeps a
// group that it would split.  Neither crosses current, and the bounds have precedence over groups.
// Examples, groups of 4: 8 → 11 allowed by the rate: 8; 8 → 13: 12; 12 → 9: 12; 12 → 8: 8.
std::int32_t move_by_groups(const manifest::extra_rules& rules, std::int32_t current, std::int32_t allowed,
                            const replica_bounds& within) noexcept;

// ---- gputide.io/in-flight-guard: replicas that are starting count as capacity

// Corrects a proposal of a GPU metric that only ready replicas report: it must neither over-scale nor remove starting replicas.
// For metrics that are a mean over the serving replicas: Value targets, Pods and Resource metrics.  An AverageValue target of an
// External metric divides a total and needs no guard: usage / target does not grow with the replicas.
//
// While capacity = max(spec, status) is above ready, and the ratio is above 1:
//   served = ratio * ready / capacity         the ratio after the same load is spread over all starting replicas
//   served within the band or below it → spec replicas
//   else the proposal unchanged, but never below spec replicas
// Examples: 7 replicas, 4 ready, ratio 1.9 → 1.9 * 4 / 7 = 1.086, within 0.1 → 7 (unguarded: ceil(7.6) = 8);
//           ratio 1.3 → served 0.743 → 7 (unguarded: ceil(5.2) = 6, which would stop a needed replica);
//           ratio 2.2 → served 1.257 → ceil(2.2 * 4) = 9.
void guard_in_flight(const policy& policy, const observation& observation, const metric_policy& metric,
                     proposal& proposal) noexcept;

// ---- gputide.io/max-gpus, /max-cost-per-hour: a budget as an additional upper bound

// Returns the maximum number of replicas within the budget; int32 max without a budget.
//   by GPUs: max_gpus / gpus_per_replica;  by cost: max_cost_per_hour / (cost_per_gpu_hour * gpus_per_replica); the smaller
// Both are cut to whole replicas.
// Examples: 10 GPUs, 4 per replica → 2;  30 per hour, 3.6 per GPU hour, 2 per replica → 30 / 7.2 = 4.17 → 4.
std::int32_t affordable_replicas(const manifest::extra_rules& rules) noexcept;

// Returns max, limited by the budget.  The minimum has precedence over the budget: 3..10 with a budget of 2 gives 3.
inline std::int32_t max_within_budget(const manifest::scaling& scaling) noexcept {
    const bool has_budget = scaling.extra.max_gpus_milli > 0 || scaling.extra.max_cost_per_hour > 0;
    const std::int32_t max = has_budget ? std::min(scaling.max, affordable_replicas(scaling.extra)) : scaling.max;
    return std::max(scaling.hpa_min(), max);
}

}  // namespace gputide::decide
