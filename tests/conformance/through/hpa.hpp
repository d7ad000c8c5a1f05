// Helpers that the hpa-* formats share at the C API: a case's settings as annotations, its metrics as a manifest's, its pods as an
// observation's, its past as a state.
#pragma once

#include "frame/check.hpp"

#include <cstdint>
#include <string>

namespace conformance {

// Any fixed moment: the cases count in seconds before it.
inline constexpr std::int64_t hpa_now_ms = 1'800'000'000'000;

std::int64_t ms_ago(const json& age_s);

// Returns the Kubernetes version that a case follows.  Cases that name none are of the main branch of their day; where
// the minimum alone lets an HPA leave 0, they are of a release before 1.36.
std::string hpa_version_of(const json& object);

// Returns the gate HPAScaleToZero as true or false; null: as the version has it.
json hpa_gate_of(const json& object);

// gputide.io/ annotations for the controller's version and flags that the case names; each call is a pass.
json hpa_annotations_of(const json& object);

// A minimum of 0, and that alone lets an HPA leave 0, as before 1.36.
void allow_zero(json& annotations);

// none where the case names a setting of the controller that no manifest can: the legacy limit's factor and least step.
reach reach_of_settings(const json& test_case);

// One of spec.metrics by its type: External, Object, Pods, Resource, ContainerResource.
struct hpa_metric {
    std::string type;
    std::string name = "metric";
    std::string resource = "cpu";
    std::string container = "main";
    json target;  // {"type":"AverageValue","averageValue":"5"}
};
json manifest_metric(const hpa_metric& metric);

json value_target(std::int64_t milli);
json average_target(std::int64_t milli);
json utilization_target(std::int64_t percent);

// Pods of an observation.  Absent fields: Running, ready, not deleting, started an hour ago, ready since then.
json observed_pods(const json& list);

// Pods Running and ready: what a host counts.
std::int32_t count_ready(const json& list);

// Whether an observation can say it: one without a last transition of Ready, but with a start, it cannot.
bool can_observe(const json& list);

// {"history":[{"replicas":…,"time_ms":…}]} and {"up_events":[{"change":…,"time_ms":…,"outdated":…}]} of a state.
json history_json(const json& list);
json events_json(const json& list);

// Thousandths that go through a double in whole units and come back the same.
bool fits_double(std::int64_t milli);
bool sum_fits_double(const json& series_milli);

// A sample of that many thousandths.
json milli_sample(std::int64_t milli);
json series_sample(const json& series_milli);  // of their sum; none: the query matched nothing

// The reason of a condition in a report.
std::string reason_of(const json& report, const char* condition);

}  // namespace conformance
