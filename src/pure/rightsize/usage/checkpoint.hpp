// A usage as text that survives a restart, at most 4 KiB for a GPU: the status of a VerticalPodAutoscalerCheckpoint,
// member by member, plus the state that the VPA does not save (the open windows), with a checksum.  A VPA's own
// checkpoint can be read, too.
// In: a usage and its rules.  Out: JSON, and back.  Never loaded partly.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/aggregate_container_state.go, status.version v3.
#pragma once

#include "rightsize/usage/usage.hpp"

#include <string>
#include <string_view>

namespace gputide::rightsize {

// Writes
// {"gputide_usage":1,"lastUpdateTime":…,"version":"v3","cpuHistogram":{…},"memoryHistogram":{…},"firstSampleStart":…,
// "lastSampleStart":…,"totalSamplesCount":…,"rules":[…],"units":[[…]],…,"crc32c":"…"}.
// cpuHistogram holds the GPU's utilization if that is measured.
std::string save_usage(const usage& usage, const usage_rules& usage_rules, std::int64_t now_ms);

// Parses the text of save_usage with the same half-life and buckets; or a VerticalPodAutoscalerCheckpoint or its
// status, JSON or YAML, of version v3, without a checksum.  E_STATE otherwise, with the reason.
result<usage> load_usage(std::string_view text, const usage_rules& usage_rules);

}  // namespace gputide::rightsize
