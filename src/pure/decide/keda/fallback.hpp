// Converts one metric's read to the value for the HPA: counts failures and, if needed, replaces the value by the fallback's.
// Also computes the composite metric of scalingModifiers.  Pure and without allocation.
// Sources: kedacore/keda pkg/fallback/fallback.go, pkg/scaling/modifiers/formula.go.
#pragma once

#include "base/sample.hpp"
#include "decide/formula/formula.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gputide::decide {

// ---- the read of one metric

// A read from the source.
struct metric_read {
    bool error = false;
    bool active = false;            // as the peer reports; otherwise the raw value is above the activation threshold
    std::int64_t value_milli = 0;   // rounded as in KEDA (keda_milli)
    std::int64_t target_milli = 0;  // 0: the policy's target
};

// Converts a sample to a read.  Any state except ok is an error; the trigger is active if the raw value is above the
// activation threshold.  An empty response of a peer that reports the activity itself is not an error; it has no value.
metric_read read_of(const metric_policy& metric, const sample& sample);

enum class counting : std::int32_t {
    on = 0,   // counts failures: each run of the executor half and, in the strict profile, of the HPA half
    off = 1,  // does not count; the failures counted so far determine whether the fallback applies
};

// The count of failures is that after this read, for the state.
struct passed_metric : failure_count {
    bool error = false;            // an error without a fallback
    bool active = false;           // of the fallback or of the read; false with an error
    bool fallback_active = false;  // the value is that of the fallback
    bool placeholder = false;      // behavior scalingModifiers: the variable is nil; the value is KEDA's -1
    bool fallback_failed = false;  // with error: "error performing fallback" (no ready pod to divide by)
    std::int64_t value_milli = 0;
};

// Converts a read.  Counts failures and replaces values only if the policy has a valid fallback and the metric is External.
passed_metric pass_metric(const policy& policy, std::size_t metric, const metric_read& read,
                          const failure_count& before, const observation& observation, counting count);

// Returns the condition Fallback: true if a metric is failing and its failure count exceeds the threshold; absent without a
// valid fallback.
truth fallback_condition(const policy& policy, std::span<const metric_health> health);

// Tells whether the fallback block is valid: its numbers are 0 or more and, with modifiers, the profile accepts a target
// above 0 (strict: only a base-10 integer, as in KEDA; "2.5" disables the fallback).
bool fallback_is_valid(const manifest::scaling& scaling);

// ---- scalingModifiers

enum class composite_state : std::int32_t {
    none = 0,              // the policy has no formula
    formula = 1,           // the formula's result
    fallback = 2,          // a trigger is in fallback: the value is that of the fallback, the formula was skipped
    nil_replaced = 3,      // the formula returned nil: fallback.replicas times the target
    trigger_error = 4,     // a trigger has an error; no value
    formula_error = 5,     // the formula failed (`why`); no value
    nil_error = 6,         // the formula returned nil and no fallback is configured; no value
    not_finite = 7,        // NaN, an infinity, or beyond int64; no value
    activation_error = 8,  // strict profile: activationTarget is not a number; no value
};

struct composite {
    composite_state state = composite_state::none;
    bool has_value = false;
    bool active = false;  // the truncated milli value is above the activation target
    bool error = false;   // an error of the object (not for a failed formula in the strict profile)
    std::int64_t value_milli = 0;
    formula_failure why;  // with formula_error
};

// Computes the composite metric. metrics: results of pass_metric() in the policy's order.
composite combine(const policy& policy, std::span<const passed_metric> metrics);

// Returns the value of a formula's variable: nil if the behavior is scalingModifiers and the failures exceed the threshold.
std::optional<double> formula_value(const policy& policy, const passed_metric& metric);

// Converts a formula's result: truncation, nil, NaN. Examples: 1.0009765625 → 1000, -2.5 → -2500.
composite composite_of_result(const policy& policy, const formula_result& result);

// Returns a composite with that value and its activity.
composite composite_of_value(const policy& policy, composite_state state, std::int64_t value_milli);

// Returns the reason of a missing value as a sentence; "" if the composite has a value.
std::string composite_failure_text(const composite& composite);

}  // namespace gputide::decide
