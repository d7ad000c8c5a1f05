// The names of a decision's codes as KEDA, the HPA and the decision's JSON spell them, and their sentences.  Returns static
// texts; "" for an unknown number.
#include "decide/decision.hpp"

#include <iterator>

namespace gputide::decide {

namespace {

template <class Code, std::size_t Size>
const char* name_of(const char* const (&names)[Size], Code what) noexcept {
    const auto at = static_cast<std::size_t>(what);  // a negative number becomes a large one
    return at < Size ? names[at] : "";
}

constexpr code_text limit_rows[] = {
    {"none", "nothing limits it"},
    {"tolerance", "within the tolerance of the target"},
    {"stabilized", "held by recent recommendations"},
    {"scale_up_limit", "the rate of scaling up limits it"},
    {"scale_down_limit", "the rate of scaling down limits it"},
    {"min", "the minimum limits it"},
    {"max", "the maximum limits it"},
    {"cooldown", "cooling down"},
    {"fallback", "the fallback's size, because a trigger fails"},
    {"paused", "paused by annotation"},
    {"not_due", "the next pass is not due yet"},
    {"no_data", "missing data forbids a change"},
    {"budget", "the budget limits it"},
    {"forecast", "the forecast's floor raises it"},
    {"no_capacity", "a part of it has no node"},
};

constexpr const char* origin_names[] = {"none", "hpa", "executor"};

constexpr const char* condition_names[] = {"AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero",
                                           "Ready",       "Active",        "Fallback",       "Paused"};

constexpr const char* truth_names[] = {"", "True", "False", "Unknown"};

// The sentences of the HPA and of KEDA; "" where a sentence has values: condition_texts.cpp.
constexpr code_text reason_rows[] = {
    {""},
    {"FailedGetScale"},
    {"SucceededGetScale", "the HPA controller was able to get the target's current scale"},
    {"ReadyForNewScale", "recommended size matches current size"},
    {"ScaleDownStabilized",
     "recent recommendations were higher than current one, applying the highest recent recommendation"},
    {"ScaleUpStabilized",
     "recent recommendations were lower than current one, applying the lowest recent recommendation"},
    {"SucceededRescale"},
    {"FailedUpdateScale"},
    {"ValidMetricFound"},
    {"ScalingDisabled", "scaling is disabled since the replica count of the target is zero"},
    {"InvalidSelector", "the HPA target's scale is missing a selector"},
    {"AmbiguousSelector", "pods by selector are controlled by more than one HPA"},
    {"FailedGetResourceMetric"},
    {"FailedGetContainerResourceMetric"},
    {"FailedGetPodsMetric"},
    {"FailedGetObjectMetric"},
    {"FailedGetExternalMetric"},
    {"InvalidMetricSourceType"},
    {"DesiredWithinRange", "the desired count is within the acceptable range"},
    {"TooFewReplicas", "the desired replica count is less than the minimum replica count"},
    {"TooManyReplicas", "the desired replica count is more than the maximum replica count"},
    {"ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"},
    {"ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate"},
    {"ScaledToZero", "the HPA controller scaled the workload to zero"},
    {"NotScaledToZero", "the HPA controller did not scale the workload to zero"},
    {"ScaledObjectReady", "ScaledObject is defined correctly and is ready for scaling"},
    {"ErrorGettingCurrentReplicas"},
    {"TriggerError", "Triggers defined in ScaledObject are not working correctly"},
    {"PartialTriggerError", "Some triggers defined in ScaledObject are not working correctly"},
    {"ScalerActive"},
    {"ScalerNotActive", "Scaling is not performed because triggers are not active"},
    {"ScalerCooldown", "Scaler cooling down because triggers are not active"},
    {"FallbackExists", "At least one trigger is falling back on this scaled object"},
    {"NoFallbackFound", "No fallbacks are active on this scaled object"},
    {"ScaledObjectPaused", "ScaledObject is paused"},
    {"ErrorScalingTarget"},
};

constexpr const char* event_names[] = {"", "KEDAScaleTargetActivated", "KEDAScaleTargetDeactivated",
                                       "KEDAScaleTargetActivationFailed", "KEDAScaleTargetDeactivationFailed"};

constexpr const char* failure_names[] = {"none",         "read",          "no_metrics",      "no_usable_pods",
                                         "no_pods",      "no_known_pods", "missing_request", "no_target",
                                         "unknown_type", "fallback",      "formula",         "no_data_rule"};

static_assert(std::size(failure_names) == static_cast<std::size_t>(metric_failure::no_data_rule) + 1);
static_assert(std::size(limit_rows) == limit_count);
static_assert(std::size(condition_names) == condition_count);
static_assert(std::size(truth_names) == static_cast<std::size_t>(truth::unknown) + 1);
static_assert(std::size(reason_rows) == static_cast<std::size_t>(reason::error_scaling_target) + 1);
static_assert(std::size(event_names) == static_cast<std::size_t>(event::deactivation_failed) + 1);

}  // namespace

const char* limit_name(limit limited_by) noexcept { return row_of(limit_rows, limited_by).name; }
const char* limit_text(limit limited_by) noexcept { return row_of(limit_rows, limited_by).text; }
const char* origin_name(origin source) noexcept { return name_of(origin_names, source); }
const char* condition_name(condition_type type) noexcept { return name_of(condition_names, type); }
const char* truth_name(truth status) noexcept { return name_of(truth_names, status); }
const char* reason_name(reason why) noexcept { return row_of(reason_rows, why).name; }
const char* reason_text(reason why) noexcept { return row_of(reason_rows, why).text; }
const char* metric_failure_name(metric_failure failure) noexcept { return name_of(failure_names, failure); }
const char* event_name(event name) noexcept { return name_of(event_names, name); }

}  // namespace gputide::decide
