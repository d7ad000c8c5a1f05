// The sentences of a decision: errors of metrics, messages of conditions and events.  Made from codes on request.
// Wording: kubernetes/kubernetes pkg/controller/podautoscaler/{horizontal,replica_calculator}.go; kedacore/keda
// pkg/scaling/executor/scale_scaledobjects.go.
#pragma once

#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gputide::decide {

// Details that are not in the codes.
struct text_details {
    std::string_view read_error = {};   // the source's error for the failed metric; "": its sample state's text
    std::string_view pod_name = {};     // of failed_pod
    std::string_view container = {};    // container of that pod that has no request; "": unknown
    std::string_view scale_error = {};  // reason of a failed read or write of the size; "": unknown
};

struct failed_pod_names {
    std::string_view pod, container;
};

// Returns the name of decision.failed_pod and of its container without a request; "" if they do not apply.  Borrowed from the
// observation.
failed_pod_names failed_pod_of(const observation& observation, const decision& decision) noexcept;

// The form of a selector: the query, or as in the HPA's conditions.
using selector_form = std::string manifest::label_selector::*;

// Returns a metric as the HPA's reasons name it: "external metric s0-prometheus(...)", "pods metric qps", "cpu resource
// utilization (percentage of request)". metric: index, or composite_metric.
std::string metric_text(const policy& policy, std::int32_t metric);
void append_metric_text(std::string& out, const policy& policy, std::int32_t metric, selector_form form);

// Returns the name of a metric for people: its trigger's own name, else "s0-prometheus"; "composite-metric"; "" for -1.
std::string_view trigger_name(const policy& policy, std::int32_t metric) noexcept;

// Returns the error of decision.failed_metric with the HPA's wrapping.
std::string metric_error_text(const policy& policy, const decision& decision, const text_details& details = {});

// Returns that error for the condition ScalingActive: without the wrapping of the pass.
std::string condition_error_text(const policy& policy, const decision& decision, const text_details& details = {});

// Returns the error of the pass: "invalid metrics (1 invalid out of 2), first error is: ..."; if no size could be computed,
// "failed to compute desired number of replicas based on listed metrics for Deployment/default/web: ..."; "" without an
// error.
std::string pass_error_text(const policy& policy, const decision& decision, const text_details& details = {});

// Returns a condition's message, as a view of a constant or of `buffer`; "" if the condition is absent.
std::string_view condition_message(const policy& policy, const decision& decision, condition_type type,
                                   const text_details& details, std::string& buffer);

// Returns the message of Ready with ErrorScalingTarget.
std::string refused_write_text(const decision& decision, std::string_view error);

// Returns the reason of a rescale: "s0-prometheus above target", "All metrics below target", "the forecast load needs 12
// replicas", ...
std::string rescale_reason(const policy& policy, const decision& decision);

// Returns a sample state as a sentence: "the query succeeded and matched nothing", "the value is older than the allowed age", ...
std::string_view sample_state_text(sample_state state) noexcept;

// ---- KEDA's events of a write, and its condition HPAActive: scale_scaledobjects.go @v2.21.0

// A condition as the API carries it.
struct reported_condition {
    std::string type;
    truth status = truth::unknown;
    std::string reason;
    std::string message;
};

// Returns the condition HPAActive of a ScaledObject: a copy of the first ScalingActive among the conditions of its HPA. At 0
// replicas the HPA disables itself, which is not an error.  Returns nothing if the HPA has no such condition.
std::optional<reported_condition> hpa_active_of(std::span<const reported_condition> hpa_conditions);

// Returns HPAActive for a scaler with an HPA half in place of the HPA: a copy of the decision's ScalingActive.
std::optional<reported_condition> hpa_active_of(const policy& policy, const decision& decision);

// Details of a write's event, in addition to the sizes.
struct write_event {
    std::string target;  // "apps/v1.Deployment ml/llm"
    std::string cause;   // of an activation: "triggered by s0-a;s1-b"
    std::string error;   // why the write failed
    manifest::original_versions versions;
};

// Returns the cause and the versions for the event, after the tick of the decision.
write_event write_event_of(const policy& policy, const state& state);

// Returns the message of decision.event; "" without an event.  From KEDA 2.21 on, the message of a failed write ends with the
// error.
std::string event_message(const decision& decision, const write_event& write);

}  // namespace gputide::decide
