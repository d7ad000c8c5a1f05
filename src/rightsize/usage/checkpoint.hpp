// A usage as text that survives a restart, at most 4 KiB for a GPU's: the status of a VerticalPodAutoscalerCheckpoint, member by member, and
// beside it what the VPA forgets (the open windows), with a checksum over all.  A VPA's own checkpoint is read, too.
// In: a usage, its rules.  Out: JSON, and back.  Never half-loaded.
// Rules: kubernetes/autoscaler vertical-pod-autoscaler/pkg/recommender/model/aggregate_container_state.go, status.version v3.
#pragma once

#include "rightsize/usage/usage.hpp"

#include <string>
#include <string_view>

namespace gputide::rightsize {

// {"gputide_usage":1,"lastUpdateTime":…,"version":"v3","cpuHistogram":{…},"memoryHistogram":{…},"firstSampleStart":…,
// "lastSampleStart":…,"totalSamplesCount":…,"rules":[…],"units":[[…]],…,"crc32c":"…"}.
// cpuHistogram holds the GPU's utilisation where that is what was counted.
std::string save_usage(const usage& usage, const usage_rules& usage_rules, std::int64_t now_ms);

// What save_usage wrote, by the same half-life and buckets; or a VerticalPodAutoscalerCheckpoint or its status, JSON or YAML, of
// version v3, without a checksum.  E_STATE otherwise, with the reason.
result<usage> load_usage(std::string_view text, const usage_rules& usage_rules);

}  // namespace gputide::rightsize
