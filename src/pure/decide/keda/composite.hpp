// scalingModifiers: all metrics of a tick and the formula become one number, the composite metric.
// Pure and without allocation.  Source: kedacore/keda pkg/scaling/modifiers/formula.go.
#pragma once

#include "decide/formula/formula.hpp"
#include "decide/keda/fallback.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gputide::decide {

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

// metrics: in the policy's order, as pass_metric left them.
composite combine(const policy& policy, std::span<const passed_metric> metrics);

// A formula's variable: nil where the behaviour is scalingModifiers and the failures are beyond the
// threshold.
std::optional<double> formula_value(const policy& policy, const passed_metric& metric);

// Takes the formula's result alone: truncation, nil, NaN.  Worked: 1.0009765625 → 1000, -2.5 → -2500.
composite composite_of_result(const policy& policy, const formula_result& result);

// A composite with that value, and whether it activates.
composite composite_of_value(const policy& policy, composite_state state, std::int64_t value_milli);

// Why there is no value, as a sentence; "" where there is one.
std::string composite_failure_text(const composite& composite);

}  // namespace gputide::decide
