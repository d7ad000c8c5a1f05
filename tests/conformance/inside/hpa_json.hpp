// Helpers that the three hpa-* formats share: pods, rules, behavior, history and events from a case's JSON.
#pragma once

#include "decide/hpa/proposals.hpp"
#include "decide/policy.hpp"
#include "decide/state/state.hpp"
#include "through/hpa.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace conformance {

// Pods with their names, and their metric and request as samples of metric 0.
struct pod_list {
    std::vector<std::string> names;
    std::vector<gputide::decide::pod> pods;
    std::vector<gputide::decide::pod_sample> samples;
};

// Absent fields: Running, ready, not deleting, started an hour ago, ready since then, metric of now over 60 s.
pod_list pods_of(const json& list);

gputide::decide::tolerance tolerance_from(const json& object);
gputide::manifest::original_versions versions_of(const json& object);
std::optional<bool> gate_of(const json& object);  // HPAScaleToZero
gputide::decide::grouping grouping_of(const json& object);

// With the defaults of the API server filled in; null: no behavior.
std::optional<gputide::manifest::behavior> hpa_behavior_of(const json& behavior, std::int32_t downscale_window_s);
gputide::manifest::scaling_rules hpa_rules_of(const json& rules, gputide::manifest::scaling_rules defaults);
gputide::manifest::behavior default_hpa_behavior(std::int32_t downscale_window_s);

// Saturating, as the samples of a case are sums already.
std::int64_t sum_series(const json& series_milli);

gputide::decide::recommendation_history history_of(const json& list);
std::vector<gputide::decide::scale_event> events_of(const json& list);

}  // namespace conformance
