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

struct trace;

struct reading {
    ruled_sample ruled;
    bool from_cache = false;  // useCachedMetrics: the executor half's last read
    bool from_hpa = false;    // policy.takes_hpa_reads: the HPA half's last read
};

// The readings of one tick: if both halves run, the second uses what the first has read (see read_for_hpa).  `read` and `passed` are
// separate because fallback, formula and activity take the second as one list.
struct readings {
    explicit readings(std::size_t metrics) : read(metrics), passed(metrics) {}

    scratch<reading, limits::triggers> read;
    scratch<passed_metric, limits::triggers> passed;
    composite modifiers;  // where the policy has a formula
    bool filled = false;
    bool counted = false;     // the failures of this tick's reads were counted
    bool hpa_is_due = false;  // in this tick
};

// Fills the readings for KEDA's half.  With counting::on it counts failures, stores each health, and stores the samples for
// useCachedMetrics.
// If the policy takes the HPA's reads and the last pass set ScalingActive, a metric that a pass has read is taken from there and not
// counted, as in KEDA 2.21.  If the HPA half is due in the same tick, one read serves both.  The default profile uses no read older
// than two sync periods, and none if the observation has a sample.  A push concerns only the sample that came with it.
void read_for_executor(const policy& policy, state& state, const observation& observation, counting count,
                       readings& out);

// Fills the readings for the HPA's half.  It counts no failure, except in the strict profile, where an HPA read counts as in KEDA, and
// if the policy takes the HPA's reads: then each read of a tick is counted once, by the half that runs first.  After the executor half
// of the same tick the readings stay: the same samples, and failures that were just counted.
void read_for_hpa(const policy& policy, state& state, const observation& observation, readings& out);

// Return the sizes; one that the observation leaves out is the spec's, or (ready) counted from the listed pods.
std::int32_t status_replicas(const observation& observation) noexcept;
std::int32_t ready_replicas(const observation& observation) noexcept;

// Runs KEDA's half: failures, fallback, activity, then the executor's table.  Updates the state and its part of the decision.  True: it
// wants a write, which is the tick's decision.  count: off for a push between two polls, so that failureThreshold counts polls only.
bool run_executor_half(const policy& policy, state& state, const observation& observation, counting count,
                       readings& readings, decision& out, trace* trace);

// Sets the condition Fallback from the failures counted so far.  KEDA does so in the call that counts, which in the strict profile
// is the HPA's read, too.
void note_fallback(const policy& policy, state& state, std::int64_t now_ms);

// Runs the HPA's half: proposals, combination, stabilization, rate, bounds, between max(1, min) and max.
void run_hpa_half(const policy& policy, state& state, const observation& observation, readings& readings, decision& out,
                  trace* trace);

}  // namespace gputide::decide
