// Changes of settings as lines of a diff of the manifest.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

// policy: as gputide_policy_describe tells.  Each changed setting with its place, its old value and its new one; "" where all
// of them are as they were.
std::string manifest_diff(const nlohmann::json& policy, const nlohmann::json& changes);

}  // namespace gputided
