// Counts failures and computes the fallback's value.  Source: kedacore/keda pkg/fallback/fallback.go.
#include "decide/keda/fallback.hpp"

#include "base/limits.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "decide/saturate.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace gputide::decide {

namespace {

constexpr std::int64_t placeholder_milli = -1000;

passed_metric passed_on(const metric_read& read, const failure_count& before) {
    passed_metric out{before};
    out.error = read.error;
    out.active = read.active && !read.error;
    out.value_milli = read.error ? 0 : read.value_milli;
    return out;
}

void count(passed_metric& passed, bool error) {
    passed.failing = error;
    passed.failures = !error ? 0 : std::min(passed.failures, std::numeric_limits<std::int32_t>::max() - 1) + 1;
}

bool beyond(const policy& policy, const failure_count& known) {
    return known.failing && known.failures > policy.scaling.fallback->failure_threshold;
}

// Returns R, the fallback's replicas; nothing if they depend on the target's size and it could not be read.
std::optional<std::int32_t> fallback_replicas(const manifest::fallback& block, const observation& observation) {
    if (block.behavior == manifest::fallback_behavior::fixed) return block.replicas;
    if (!observation.scale_readable) return std::nullopt;
    switch (block.behavior) {
        case manifest::fallback_behavior::current_replicas_if_higher:
            return std::max(observation.spec_replicas, block.replicas);
        case manifest::fallback_behavior::current_replicas_if_lower:
            return std::min(observation.spec_replicas, block.replicas);
        default:
            return observation.spec_replicas;
    }
}

struct wanted {
    double target = 0.0;  // T
    bool per_ready_pod = false;
};

wanted wanted_of(const policy& policy, std::size_t metric, const metric_read& read) {
    const auto& modifiers = policy.scaling.modifiers;
    if (modifiers) return {policy.composite_target, modifiers->metric_type == manifest::target_type::value};
    const metric_policy& candidate = policy.metrics[metric];
    const std::int64_t target_milli = read.target_milli != 0 ? read.target_milli : candidate.target_milli;
    return {approximate_value(target_milli), candidate.type == manifest::target_type::value};
}

// Computes the fallback metric: T · 1000 · R, for a Value target divided by the ready pods, truncated toward zero.
// Example: target 10 (Value), replicas 10, 3 ready pods: 10 · 1000 · 3.333… = 33333.33… → 33333 milli.
[[gnu::cold]] void fall_back(passed_metric& passed, const policy& policy, std::size_t metric, const metric_read& read,
                             const observation& observation) {
    const std::optional<std::int32_t> replicas = fallback_replicas(*policy.scaling.fallback, observation);
    if (!replicas) return;  // the original error is kept
    const wanted want = wanted_of(policy, metric, read);
    const std::int32_t ready = ready_replicas(observation);
    if (want.per_ready_pod && ready <= 0) {
        passed.fallback_failed = true;
        return;
    }
    const double share = want.per_ready_pod ? static_cast<double>(*replicas) / ready : *replicas;
    passed.value_milli = to_int64(want.target * 1000 * share);
    passed.error = false;
    passed.active = true;
    passed.fallback_active = true;
}

void hold_place(passed_metric& passed) {
    passed.error = false;
    passed.placeholder = true;
    passed.value_milli = placeholder_milli;
}

}  // namespace

metric_read read_of(const metric_policy& metric, const sample& sample) {
    metric_read out;
    out.target_milli = sample.target_milli;
    const bool has_word = sample.activity != activity_word::none;
    out.error = sample.state != sample_state::ok && !(has_word && sample.state == sample_state::empty);
    if (out.error) return out;
    out.active = has_word ? sample.activity == activity_word::active : sample.value > metric.activation_threshold;
    out.value_milli = keda_milli(sample.value);
    return out;
}

passed_metric pass_metric(const policy& policy, std::size_t metric, const metric_read& read,
                          const failure_count& before, const observation& observation, counting count_reads) {
    passed_metric out = passed_on(read, before);
    if (!policy.fallback_on || policy.metrics[metric].kind != metric_kind::external) return out;
    if (count_reads == counting::on) count(out, read.error);
    if (!read.error || !beyond(policy, out)) return out;
    if (policy.scaling.fallback->behavior == manifest::fallback_behavior::scaling_modifiers) {
        hold_place(out);
    } else {
        fall_back(out, policy, metric, read, observation);
    }
    return out;
}

truth fallback_condition(const policy& policy, std::span<const metric_health> health) {
    if (!policy.fallback_on) return truth::absent;
    const bool any = std::ranges::any_of(health, [&](const metric_health& known) { return beyond(policy, known); });
    return any ? truth::yes : truth::no;
}

bool fallback_is_valid(const manifest::scaling& scaling) {
    if (!scaling.fallback || scaling.fallback->failure_threshold < 0 || scaling.fallback->replicas < 0) return false;
    if (!scaling.modifiers) return true;
    if (is_strict(scaling)) return parse_int64(scaling.modifiers->target).value_or(0) > 0;
    return parse_go_float(scaling.modifiers->target, true).value_or(0) > 0;
}

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

// Go does not define int64(NaN); on amd64, where KEDA runs, it is the smallest int64.
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
    const bool scoped = fallback && fallback->behavior == manifest::fallback_behavior::scaling_modifiers;
    if (scoped && metric.failures > fallback->failure_threshold) return std::nullopt;
    return approximate_value(metric.value_milli);
}

composite combine(const policy& policy, std::span<const passed_metric> metrics) {
    if (!policy.formula) return {};
    std::array<formula_variable, limits::triggers> variables;  // NOLINT: only the used elements are filled
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
            return "the formula gave NaN, an infinity or a number outside the range of a quantity";
        case composite_state::activation_error:
            return "scalingModifiers.ActivationTarget parsing error: expected a number";
        default:
            return "";
    }
}

}  // namespace gputide::decide
