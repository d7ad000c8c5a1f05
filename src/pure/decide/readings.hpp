// The two halves of a tick, and each half's view of all metrics: every sample after the rules on age and missing data, and after the
// fallback.  In: policy, state, observation.  Out: one reading per metric, failure counts in the state where this half counts, and
// the half's part of the decision.
#pragma once

#include "base/limits.hpp"
#include "decide/decision.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/rules.hpp"
#include "decide/scratch.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

struct reading {
    ruled_sample ruled;
    bool from_cache = false;  // useCachedMetrics: the executor half's last read
    bool from_hpa = false;    // policy.takes_hpa_reads: the HPA half's last read
};

// read and passed are kept apart because fallback, formula and activity take the second as one list.
// One per tick: where both halves run, the second finds what the first has read (see read_for_hpa).
struct readings {
    explicit readings(std::size_t metrics) : read(metrics), passed(metrics) {}

    scratch<reading, limits::triggers> read;
    scratch<passed_metric, limits::triggers> passed;
    composite modifiers;  // where the policy has a formula
    bool filled = false;
    bool counted = false;     // the failures of this tick's reads
    bool hpa_is_due = false;  // in this tick
};

// Where it counts: counts failures, stores each health and remembers the samples for useCachedMetrics.
// Where the policy takes the HPA's reads, and the last pass said ScalingActive: a metric that a pass has read is taken from there and
// not counted, as KEDA 2.21 does.  Where the HPA half is due in the same tick one read serves both.  The default profile takes no read
// that is older than two sync periods, and none where the observation has a sample.  A peer's call is about the sample that came with it.
void read_for_executor(const policy& policy, state& state, const observation& observation, counting count,
                       readings& out);

// Counts nothing, except in the strict profile, where an HPA read counts as KEDA counts it, and where the policy takes the HPA's reads:
// then each read of a tick is counted once, whichever half came first.  After the executor half of the same tick nothing has changed,
// so that its readings hold: the same samples, and failures that were counted a moment ago.
void read_for_hpa(const policy& policy, state& state, const observation& observation, readings& out);

// Sizes with what the observation leaves out filled in: as the spec's; ready from the pods where they are listed.
std::int32_t status_replicas(const observation& observation) noexcept;
std::int32_t ready_replicas(const observation& observation) noexcept;

// The two halves of a tick.  decide.cpp runs those that are due; each updates the state and writes its part of the decision.
// `readings` are the tick's: what one half has read need not be read again.

enum class counting : std::int32_t;
struct readings;
struct trace;

// KEDA's: failures, fallback, activity, then the executor's table.  True: it wants a write, which is the tick's decision.
// count: off where a peer called for it between two polls, so that failureThreshold goes on counting polls.
bool run_executor_half(const policy& policy, state& state, const observation& observation, counting count,
                       readings& readings, decision& out, trace* trace);

// Sets the condition Fallback by the failures counted so far.  KEDA does so in the call that counts, which in the strict profile
// is the HPA's read, too.
void note_fallback(const policy& policy, state& state, std::int64_t now_ms);

// The HPA's: proposals, combination, stabilisation, rate, bounds, between max(1, min) and max.
void run_hpa_half(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
                  trace* trace);

}  // namespace gputide::decide
