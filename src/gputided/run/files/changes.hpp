// Compares two readings of the manifests, field by field, for the log and the audit log.
#pragma once

#include "common/manifests.hpp"

#include <string>
#include <vector>

namespace gputided {

// Returns texts such as "llama.yaml: ml/llama maxReplicaCount 8 → 5".  Skips removed scalers, which are logged separately.  Shows
// only values that are numbers, durations or booleans, because other texts may be confidential.
std::vector<std::string> changes_between(const std::vector<manifest_file>& before,
                                         const std::vector<manifest_file>& after);

}  // namespace gputided
