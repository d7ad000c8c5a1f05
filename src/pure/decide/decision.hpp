// One decision: the size to write, the codes of its reasons, and the conditions as Kubernetes stores them.  No allocation;
// trace/texts.hpp makes texts of the codes on request.
#pragma once

#include "base/sample.hpp"
#include "forecast/forecast.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gputide::decide {

// Append-only: the numbers are those of gputide.h, the names those of the JSON.
enum class limit : std::int32_t {
    none = 0,
    tolerance = 1,
    stabilized = 2,
    scale_up_limit = 3,
    scale_down_limit = 4,
    min = 5,
    max = 6,
    cooldown = 7,
    fallback = 8,
    paused = 9,
    not_due = 10,
    no_data = 11,
    budget = 12,
    forecast = 13,
    no_capacity = 14,
};
inline constexpr std::size_t limit_count = static_cast<std::size_t>(limit::no_capacity) + 1;

enum class origin : std::int32_t { none = 0, hpa = 1, executor = 2 };  // none: no decision yet

enum class condition_type : std::int32_t {
    able_to_scale = 0,
    scaling_active = 1,
    scaling_limited = 2,
    scaled_to_zero = 3,  // HPA
    ready = 4,
    active = 5,
    fallback = 6,
    paused = 7,  // KEDA
};
inline constexpr std::size_t condition_count = 8;

enum class truth : std::int32_t { absent = 0, yes = 1, no = 2, unknown = 3 };

enum class reason : std::int32_t {
    none = 0,
    failed_get_scale,
    succeeded_get_scale,
    ready_for_new_scale,
    scale_down_stabilized,
    scale_up_stabilized,
    succeeded_rescale,
    failed_update_scale,
    valid_metric_found,
    scaling_disabled,
    invalid_selector,
    ambiguous_selector,
    failed_get_resource_metric,
    failed_get_container_resource_metric,
    failed_get_pods_metric,
    failed_get_object_metric,
    failed_get_external_metric,
    invalid_metric_source_type,
    desired_within_range,
    too_few_replicas,
    too_many_replicas,
    scale_up_limit,
    scale_down_limit,
    scaled_to_zero,
    not_scaled_to_zero,
    scaled_object_ready,
    error_getting_current_replicas,
    trigger_error,
    partial_trigger_error,
    scaler_active,
    scaler_not_active,
    scaler_cooldown,
    fallback_exists,
    no_fallback_found,
    scaled_object_paused,
    error_scaling_target,
};

// Reasons why a metric has no proposal.  Append-only; the texts are in trace/texts.hpp.
enum class metric_failure : std::int32_t {
    none = 0,
    read = 1,             // the source returned an error instead of a value; the sample's state has its kind
    no_metrics = 2,       // the response has no metric at all: an error, never 0
    no_usable_pods = 3,   // the response has metrics, but none for a pod that counts
    no_pods = 4,          // the selector matched no pod, and the target needs the number of pods
    no_known_pods = 5,    // the response has only metrics of unknown pods
    missing_request = 6,  // a pod without a resource request
    no_target = 7,
    unknown_type = 8,   // a metric source type that the HPA does not know
    fallback = 9,       // the fallback could not be computed: no ready pod to divide by
    formula = 10,       // scalingModifiers gave no value
    no_data_rule = 11,  // gputide.io/no-data is error, or is fallback and the policy has no fallback
};

// A code's name in JSON, and its sentence for people.
struct code_text {
    const char* name = "";
    const char* text = "";
};

// Returns a code's row in the table of its enumeration; an empty one for an unknown number.
template <std::size_t Size, class Code>
constexpr code_text row_of(const code_text (&rows)[Size], Code what) noexcept {
    const auto at = static_cast<std::size_t>(what);  // a negative number becomes a large one
    return at < Size ? rows[at] : code_text{};
}

const char* metric_failure_name(metric_failure failure) noexcept;  // "missing_request"
const char* limit_name(limit limited_by) noexcept;                 // "scale_up_limit"
const char* limit_text(limit limited_by) noexcept;                 // "the rate of scaling up limits it"
const char* origin_name(origin source) noexcept;                   // "executor"
const char* condition_name(condition_type type) noexcept;          // "AbleToScale"
const char* truth_name(truth status) noexcept;                     // "True"
const char* reason_name(reason why) noexcept;                      // "ScaleDownStabilized"
const char* reason_text(reason why) noexcept;                      // a condition's message; "" if it has values

// No member has a default, so that a decision need not clear a list that it copies: write condition{}.
struct condition {
    decide::truth truth;
    decide::reason reason;
    std::int64_t since_ms;  // lastTransitionTime: time of the last change of truth
};

// One condition per type; a later condition of the same pass replaces an earlier one.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (setCondition, setConditionInList).
using condition_list = std::array<condition, condition_count>;

enum class event : std::int32_t {  // KEDA's event reasons, for hosts that report them
    none = 0,
    activated = 1,
    deactivated = 2,
    activation_failed = 3,
    deactivation_failed = 4,
};

const char* event_name(event name) noexcept;  // "KEDAScaleTargetActivated"; "" for none

// scalingModifiers combine all External metrics into one metric, which has no index of its own.
inline constexpr std::int32_t composite_metric = -2;

// The HPA half's result, in its decision and in those between two of its passes.
struct hpa_result {
    std::int32_t proposed_replicas = 0;  // result of the metrics, before stabilization, limits and bounds
    limit limited_by = limit::none;
    // Index of the metric with the highest proposal, and of the first failed metric; composite_metric; -1: none.
    std::int32_t winner = -1;
    std::int32_t failed_metric = -1;
    std::int32_t failed_count = 0;  // of the metric_count metrics that the HPA half read
    std::int32_t metric_count = 0;
    metric_failure failure = metric_failure::none;          // of failed_metric
    gputide::sample_state failed_state = sample_state::ok;  // sample state of its read
};

struct decision : hpa_result {
    decision() noexcept : conditions{} {}
    // Sets no condition: a tick copies the state's when it ends.
    struct without_conditions {};
    explicit decision(without_conditions) noexcept {}

    // Id of the decision within its state, for the record.  Below 2^53, so that JSON can represent it; 0: no decision.
    std::uint64_t id = 0;
    std::int64_t now_ms = 0;
    std::int32_t current_replicas = 0;
    std::int32_t desired_replicas = 0;  // to write now; equal to current_replicas: nothing to write
    bool active = false;
    bool error = false;  // a trigger or metric failed without a fallback
    bool executor_ran = false;
    bool hpa_ran = false;
    decide::origin origin = decide::origin::none;
    decide::event event = decide::event::none;
    std::int32_t failed_pod = -1;  // missing_request: index into the observation's pods
    // Age of the HPA half's result in proposed_replicas, winner and failed_*; 0 if the half ran in this tick, or never ran.
    std::int64_t verdict_age_ms = 0;
    std::int64_t next_due_ms = 0;  // Unix time at which a half is due again
    // State of the policy's forecast, and the replicas for the forecast load; -1: no forecast load.
    forecast::state forecast_state = forecast::state::none;
    std::int32_t forecast_need = -1;
    condition_list conditions;
};

inline const condition& condition_of(const condition_list& list, condition_type type) noexcept {
    return list[static_cast<std::size_t>(type)];
}

// Sets a condition.  lastTransitionTime changes only with the truth, not with the reason.
inline void set_condition(condition_list& list, condition_type type, truth is, reason why,
                          std::int64_t now_ms) noexcept {
    condition& condition = list[static_cast<std::size_t>(type)];
    if (condition.truth != is) condition.since_ms = now_ms;
    condition.truth = is;
    condition.reason = why;
}

inline void remove_condition(condition_list& list, condition_type type) noexcept {
    list[static_cast<std::size_t>(type)] = condition{};
}

}  // namespace gputide::decide
