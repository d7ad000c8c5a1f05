// The names of a decision's codes as KEDA, the HPA and the decision's JSON spell them.  Returns static texts; "" for an
// unknown number.
#include "decide/decision.hpp"

#include <iterator>

namespace gputide::decide {

namespace {

template <class Code, std::size_t Size>
const char* name_of(const char* const (&names)[Size], Code what) noexcept {
    const auto at = static_cast<std::size_t>(what);  // a negative number becomes a large one
    return at < Size ? names[at] : "";
}

constexpr const char* limit_names[] = {"none",    "tolerance", "stabilized", "scale_up_limit", "scale_down_limit",
                                       "min",     "max",       "cooldown",   "fallback",       "paused",
                                       "not_due", "no_data",   "budget",     "forecast",       "no_capacity"};

constexpr const char* origin_names[] = {"none", "hpa", "executor"};

constexpr const char* condition_names[] = {"AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero",
                                           "Ready",       "Active",        "Fallback",       "Paused"};

constexpr const char* truth_names[] = {"", "True", "False", "Unknown"};

constexpr const char* reason_names[] = {"",
                                        "FailedGetScale",
                                        "SucceededGetScale",
                                        "ReadyForNewScale",
                                        "ScaleDownStabilized",
                                        "ScaleUpStabilized",
                                        "SucceededRescale",
                                        "FailedUpdateScale",
                                        "ValidMetricFound",
                                        "ScalingDisabled",
                                        "InvalidSelector",
                                        "AmbiguousSelector",
                                        "FailedGetResourceMetric",
                                        "FailedGetContainerResourceMetric",
                                        "FailedGetPodsMetric",
                                        "FailedGetObjectMetric",
                                        "FailedGetExternalMetric",
                                        "InvalidMetricSourceType",
                                        "DesiredWithinRange",
                                        "TooFewReplicas",
                                        "TooManyReplicas",
                                        "ScaleUpLimit",
                                        "ScaleDownLimit",
                                        "ScaledToZero",
                                        "NotScaledToZero",
                                        "ScaledObjectReady",
                                        "ErrorGettingCurrentReplicas",
                                        "TriggerError",
                                        "PartialTriggerError",
                                        "ScalerActive",
                                        "ScalerNotActive",
                                        "ScalerCooldown",
                                        "FallbackExists",
                                        "NoFallbackFound",
                                        "ScaledObjectPaused",
                                        "ErrorScalingTarget"};

constexpr const char* event_names[] = {"", "KEDAScaleTargetActivated", "KEDAScaleTargetDeactivated",
                                       "KEDAScaleTargetActivationFailed", "KEDAScaleTargetDeactivationFailed"};

constexpr const char* failure_names[] = {"none",         "read",          "no_metrics",      "no_usable_pods",
                                         "no_pods",      "no_known_pods", "missing_request", "no_target",
                                         "unknown_type", "fallback",      "formula",         "no_data_rule"};

static_assert(std::size(failure_names) == static_cast<std::size_t>(metric_failure::no_data_rule) + 1);
static_assert(std::size(limit_names) == limit_count);
static_assert(std::size(condition_names) == condition_count);
static_assert(std::size(truth_names) == static_cast<std::size_t>(truth::unknown) + 1);
static_assert(std::size(reason_names) == static_cast<std::size_t>(reason::error_scaling_target) + 1);
static_assert(std::size(event_names) == static_cast<std::size_t>(event::deactivation_failed) + 1);

}  // namespace

const char* limit_name(limit limited_by) noexcept { return name_of(limit_names, limited_by); }
const char* origin_name(origin source) noexcept { return name_of(origin_names, source); }
const char* condition_name(condition_type type) noexcept { return name_of(condition_names, type); }
const char* truth_name(truth status) noexcept { return name_of(truth_names, status); }
const char* reason_name(reason why) noexcept { return name_of(reason_names, why); }
const char* metric_failure_name(metric_failure failure) noexcept { return name_of(failure_names, failure); }
const char* event_name(event name) noexcept { return name_of(event_names, name); }

}  // namespace gputide::decide
