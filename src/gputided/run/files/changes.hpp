// Finds the differences between two readings of the manifests, field by field, for the log and the audit log.
#pragma once

#include "common/manifests.hpp"

#include <string>
#include <vector>

namespace gputided {

// Returns "llama.yaml: ml/llama maxReplicaCount 8 → 5" and the like.  A removed scaler is left out: its own line tells of it.  Values
// are shown only if they are numbers, durations or booleans: other texts may be confidential.
std::vector<std::string> changes_between(const std::vector<manifest_file>& before,
                                         const std::vector<manifest_file>& after);

}  // namespace gputided
