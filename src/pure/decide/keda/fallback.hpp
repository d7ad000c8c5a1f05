// Passes one metric's read on to the HPA: counts it and, if needed, replaces it by the fallback's number.  Computes the
// composite metric of scalingModifiers.  Pure and without allocation.
// Sources: kedacore/keda pkg/fallback/fallback.go, pkg/scaling/modifiers/formula.go.
#pragma once

#include "base/sample.hpp"
#include "decide/formula/formula.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gputide::decide {

// ---- one metric's read

// A read from the source.
struct metric_read {
    bool error = false;
    bool active = false;            // as the peer reports, else: the raw value is above the activation threshold
    std::int64_t value_milli = 0;   // rounded as KEDA does (keda_milli)
    std::int64_t target_milli = 0;  // 0: the policy's
};

// Returns a sample as a read: any state but ok is an error; activity by the raw value, strictly above.  An empty response of a peer
// that reports its activity by itself is not an error, and has no value.
metric_read read_of(const metric_policy& metric, const sample& sample);

// The target's size, for fallback and formula.
struct fallback_target {
    bool replicas_readable = true;
    std::int32_t replicas = 0;        // spec.replicas
    std::int32_t ready_replicas = 0;  // pods Running and Ready; below 0: unreadable
};

enum class counting : std::int32_t {
    on = 0,   // counts failures: every executor half that is due, and in the strict profile every HPA half
    off = 1,  // does not: the failures counted so far determine whether the fallback applies
};

struct passed_metric {
    bool error = false;            // an error is left over
    bool active = false;           // fallback's, or the read's own; never with an error
    bool fallback_active = false;  // the value is the fallback's
    bool placeholder = false;      // behavior scalingModifiers: the variable is nil; the value is KEDA's -1
    bool fallback_failed = false;  // with error: "error performing fallback" (no ready pod to divide by)
    std::int64_t value_milli = 0;
    std::int32_t failures = 0;  // afterwards, for the state
    bool failing = false;
};

// Passes a read on.  Counts failures and replaces values only if the policy has a valid fallback and the metric is External.
passed_metric pass_metric(const policy& policy, std::size_t metric, const metric_read& read,
                          const metric_health& before, const fallback_target& target, counting count);

// Returns the condition Fallback: true if any metric is failing with more failures than the threshold; absent without a valid fallback.
truth fallback_condition(const policy& policy, std::span<const metric_health> health);

// Tells whether the fallback block is valid: numbers of 0 or more and, with modifiers, a target above 0 that the profile accepts
// (strict: a base-10 integer, as in KEDA; "2.5" switches fallback off).
bool fallback_is_valid(const manifest::scaling& scaling);

// ---- scalingModifiers

enum class composite_state : std::int32_t {
    none = 0,              // the policy has no formula
    formula = 1,           // the formula's result
    fallback = 2,          // a trigger is in fallback: its number, the formula was skipped
    nil_replaced = 3,      // the formula gave nil: fallback.replicas times the target
    trigger_error = 4,     // a trigger has an error; there is no value
    formula_error = 5,     // the formula failed (`why`); there is no value
    nil_error = 6,         // the formula gave nil and no fallback is configured
    not_finite = 7,        // NaN, an infinity, or beyond int64; there is no value
    activation_error = 8,  // strict profile: activationTarget is not a number; there is no value
};

struct composite {
    composite_state state = composite_state::none;
    bool has_value = false;
    bool active = false;  // value above the activation target, strictly, on the truncated milli value
    bool error = false;   // counts as an error of the object (strict profile: a formula's failure does not)
    std::int64_t value_milli = 0;
    formula_failure why;  // with formula_error
};

// Computes the composite metric.  metrics: in the policy's order, as pass_metric() returned them.
composite combine(const policy& policy, std::span<const passed_metric> metrics);

// Returns a formula's variable: nil if the behavior is scalingModifiers and the failures exceed the threshold.
std::optional<double> formula_value(const policy& policy, const passed_metric& metric);

// Converts a formula's result: truncation, nil, NaN.  Worked: 1.0009765625 → 1000, -2.5 → -2500.
composite composite_of_result(const policy& policy, const formula_result& result);

// Returns a composite with that value, and whether it activates.
composite composite_of_value(const policy& policy, composite_state state, std::int64_t value_milli);

// Returns why there is no value, as a sentence; "" if there is one.
std::string composite_failure_text(const composite& composite);

}  // namespace gputide::decide
