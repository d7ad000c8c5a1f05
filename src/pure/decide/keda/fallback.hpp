// One metric's read on its way to the HPA: counted, passed on, or replaced by the fallback's number.
// Comes in: the read, the metric's failures so far, the target's size.  Goes out: what takes the read's
// place. Pure: the caller stores the failures.  Source: kedacore/keda pkg/fallback/fallback.go.
#pragma once

#include "base/sample.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace gputide::decide {

// What came from the source.
struct metric_read {
    bool error = false;
    bool active = false;  // the peer's word; where it has none, the raw value is above the activation threshold
    std::int64_t value_milli = 0;   // rounded as KEDA does (keda_milli)
    std::int64_t target_milli = 0;  // 0: the policy's
};

// A sample as a read: any state but ok is an error; activity on the raw value, strictly above.  An empty answer of a peer that
// says itself whether it is active is no error, and has no value.
metric_read read_of(const metric_policy& metric, const sample& sample);

// What fallback and formula see of the target.
struct fallback_target {
    bool replicas_readable = true;
    std::int32_t replicas = 0;        // spec.replicas
    std::int32_t ready_replicas = 0;  // pods Running and Ready; below 0: unreadable
};

enum class counting : std::int32_t {
    on = 0,   // advances the failures: every executor half that is due, and in the strict profile every HPA half
    off = 1,  // does not: the failures counted so far say whether the fallback answers
};

struct passed_metric {
    bool error = false;            // an error is left over
    bool active = false;           // fallback's, or the read's own; never with an error
    bool fallback_active = false;  // the value is the fallback's
    bool placeholder = false;      // behaviour scalingModifiers: the variable is nil; the value is KEDA's -1
    bool fallback_failed = false;  // with error: "error performing fallback" (no ready pod to divide by)
    std::int64_t value_milli = 0;
    std::int32_t failures = 0;  // afterwards, for the state
    bool failing = false;
};

// Failures are kept, and answers replaced, only where the policy has a valid fallback and the metric is
// External.
passed_metric pass_metric(const policy& policy, std::size_t metric, const metric_read& read,
                          const metric_health& before, const fallback_target& target, counting count);

// Condition Fallback: any metric failing with more failures than the threshold.  absent: not maintained (no
// valid fallback).
truth fallback_condition(const policy& policy, std::span<const metric_health> health);

// Whether the block can work: numbers of 0 or more and, with modifiers, a target above 0 that the profile
// accepts (strict: a base-10 integer, as KEDA; "2.5" switches fallback off).
bool fallback_is_valid(const config::scaling& scaling);

}  // namespace gputide::decide
