// The sentences of a decision: why a metric failed, what a condition says.  Made from codes when somebody asks.
// Wording: kubernetes/kubernetes pkg/controller/podautoscaler/{horizontal,replica_calculator}.go; kedacore/keda
// pkg/scaling/executor/scale_scaledobjects.go.
#pragma once

#include "decide/decision.hpp"
#include "decide/observation.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::decide {

// What the codes alone cannot say.
struct text_details {
    std::string_view read_error = {};   // what the source said of the metric that failed; "": named by its sample state
    std::string_view pod_name = {};     // of failed_pod
    std::string_view container = {};    // of that pod, without a request; "": unknown
    std::string_view scale_error = {};  // why the size could not be read or written; "": unknown
};

struct failed_pod_names {
    std::string_view pod, container;
};

// Returns the names of decision.failed_pod and of its container without a request; "" where there is none.  Borrowed from the
// observation.
failed_pod_names failed_pod_of(const observation& observation, const decision& decision) noexcept;

// How a selector is shown: as it is written, "a=b", or as the HPA's conditions do.
enum class selector_style : std::int32_t { written = 0, hpa = 1 };

// As in reasons: "external metric s0-prometheus(...)", "pods metric qps", "cpu resource utilization (percentage of request)".
// metric: index, or composite_metric.
std::string metric_text(const policy& policy, std::int32_t metric);
void append_metric_text(std::string& out, const policy& policy, std::int32_t metric, selector_style style);

// What people call a metric: its trigger's own name where the manifest gives one, else "s0-prometheus"; "composite-metric"; ""
// for -1.
std::string_view trigger_name(const policy& policy, std::int32_t metric) noexcept;

// Why decision.failed_metric failed, with the wrapping that the HPA gives it.
std::string metric_error_text(const policy& policy, const decision& decision, const text_details& details = {});

// Why decision.failed_metric failed, as the condition ScalingActive says it: without the pass's wrapping.
std::string condition_error_text(const policy& policy, const decision& decision, const text_details& details = {});

// The error of the pass: "invalid metrics (1 invalid out of 2), first error is: ...", and where nothing could be decided
// "failed to compute desired number of replicas based on listed metrics for Deployment/default/web: ..."; "" without error.
std::string pass_error_text(const policy& policy, const decision& decision, const text_details& details = {});

// The condition's message; "" where the condition is absent.  A view of a constant, or of `room`, which is filled then.
std::string_view condition_message(const policy& policy, const decision& decision, condition_type type,
                                   const text_details& details, std::string& room);

// Why Ready is False with ErrorScalingTarget.
std::string refused_write_text(const decision& decision, std::string_view error);

// The reason of a rescale: "s0-prometheus above target", "All metrics below target", "a forecast of the load asks for 12
// replicas", ...
std::string rescale_reason(const policy& policy, const decision& decision);

// For people: "the query answered and matched nothing", "the value is older than the allowed age", ...
std::string_view sample_state_text(sample_state state) noexcept;

}  // namespace gputide::decide
