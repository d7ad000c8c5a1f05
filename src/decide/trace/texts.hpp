// The sentences of a decision: why a metric failed, what a condition says.  Made from codes when somebody asks.
// Wording: kubernetes/kubernetes pkg/controller/podautoscaler/{horizontal,replica_calculator}.go; kedacore/keda
// pkg/scaling/executor/scale_scaledobjects.go.
#pragma once

#include "decide/decision.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::decide {

// What the codes alone cannot say.
struct text_details {
    std::string_view read_error;  // what the source said of the metric that failed; "": named by its sample state
    std::string_view pod_name;    // of failed_pod
};

// As in reasons: "external metric s0-prometheus(...)", "pods metric qps", "cpu resource utilization (percentage of request)".
// metric: index, or composite_metric.
std::string metric_text(const policy& by, std::int32_t metric);

// A metric's name alone: "s0-prometheus", "composite-metric"; "" for -1.
std::string_view metric_name(const policy& by, std::int32_t metric) noexcept;

// Why decision.failed_metric failed, with the wrapping that the HPA gives it.
std::string metric_error_text(const policy& by, const decision& made, const text_details& of = {});

// The error of the pass: "invalid metrics (1 invalid out of 2), first error is: ...", and where nothing could be decided
// "failed to compute desired number of replicas based on listed metrics for Deployment/default/web: ..."; "" without error.
std::string pass_error_text(const policy& by, const decision& made, const text_details& of = {});

// The condition's message; "" where the condition is absent.
std::string condition_message(const policy& by, const decision& made, condition_type type, const text_details& of = {});

// The reason of a rescale: "s0-prometheus above target", "All metrics below target", ...
std::string rescale_reason(const policy& by, const decision& made);

// "the query matched nothing", "older than the allowed age", ...
std::string_view sample_state_text(sample_state state) noexcept;

}  // namespace gputide::decide
