// The composite metric of one tick.  Source: kedacore/keda pkg/scaling/modifiers/formula.go.
#include "decide/keda/composite.hpp"

#include "base/limits.hpp"
#include "decide/keda/go_numbers.hpp"

#include <array>
#include <limits>

namespace gputide::decide {

namespace {

composite without_value(composite_state state, bool error) {
    composite out;
    out.state = state;
    out.error = error;
    return out;
}

// KEDA only logs a failed formula: no metric, not active, and no error, so that the object cools down to 0.
composite failed(const policy& policy, composite_state state) {
    return without_value(state, !is_strict(policy.scaling));
}

// Go leaves int64(NaN) open; on amd64, where KEDA runs, it gives the smallest int64.
composite composite_of_number(const policy& policy, composite_state state, double value) {
    const std::optional<std::int64_t> milli = truncated(value * 1000);
    if (milli) return composite_of_value(policy, state, *milli);
    if (!is_strict(policy.scaling)) return without_value(composite_state::not_finite, true);
    return composite_of_value(policy, state, std::numeric_limits<std::int64_t>::min());
}

composite composite_of_nil(const policy& policy) {
    if (!policy.scaling.fallback) return failed(policy, composite_state::nil_error);
    return composite_of_number(policy, composite_state::nil_replaced,
                               policy.scaling.fallback->replicas * policy.composite_target);
}

bool takes_part(const policy& policy, std::size_t metric) {
    return policy.metrics[metric].kind == metric_kind::external;
}

formula_variable variable_of(const policy& policy, const passed_metric& metric) {
    const std::optional<double> value = formula_value(policy, metric);
    return {value.value_or(0.0), !value};
}

}  // namespace

composite composite_of_value(const policy& policy, composite_state state, std::int64_t value_milli) {
    if (policy.composite_activation_invalid) return without_value(composite_state::activation_error, true);
    composite out;
    out.state = state;
    out.has_value = true;
    out.value_milli = value_milli;
    out.active = approximate_value(value_milli) > policy.composite_activation;
    return out;
}

composite composite_of_result(const policy& policy, const formula_result& result) {
    if (result.failure.error != formula_error::none) {
        composite out = failed(policy, composite_state::formula_error);
        out.why = result.failure;
        return out;
    }
    return result.nil ? composite_of_nil(policy) : composite_of_number(policy, composite_state::formula, result.value);
}

std::optional<double> formula_value(const policy& policy, const passed_metric& metric) {
    const auto& fallback = policy.scaling.fallback;
    const bool scoped = fallback && fallback->behavior == config::fallback_behavior::scaling_modifiers;
    if (scoped && metric.failures > fallback->failure_threshold) return std::nullopt;
    return approximate_value(metric.value_milli);
}

composite combine(const policy& policy, std::span<const passed_metric> metrics) {
    if (!policy.formula) return {};
    std::array<formula_variable, limits::triggers> variables;  // NOLINT: filled below as far as it is used
    const passed_metric* fallen_back = nullptr;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        variables[i] = {0.0, true};
        if (!takes_part(policy, i)) continue;
        if (metrics[i].error) return without_value(composite_state::trigger_error, true);
        if (metrics[i].fallback_active && fallen_back == nullptr) fallen_back = &metrics[i];
        variables[i] = variable_of(policy, metrics[i]);
    }
    if (fallen_back != nullptr) return composite_of_value(policy, composite_state::fallback, fallen_back->value_milli);
    return composite_of_result(policy, policy.formula->evaluate({variables.data(), metrics.size()}));
}

std::string composite_failure_text(const composite& composite) {
    switch (composite.state) {
        case composite_state::trigger_error:
            return "a trigger of the formula has no value";
        case composite_state::formula_error:
            return formula_failure_text(composite.why);
        case composite_state::nil_error:
            return "scalingModifiers formula evaluated to nil but no fallback is configured; add a fallback block or "
                   "end the "
                   "formula with ?? and a number";
        case composite_state::not_finite:
            return "the formula gave NaN, an infinity or a number that no quantity holds";
        case composite_state::activation_error:
            return "scalingModifiers.ActivationTarget parsing error: expected a number";
        default:
            return "";
    }
}

}  // namespace gputide::decide
