// Changes of settings as lines of a diff of the manifest.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

// policy: as gputide_policy_describe tells.  Each changed setting with its place, its old value and its new one; "" where all
// of them are as they were.
std::string manifest_diff(const nlohmann::json& policy, const nlohmann::json& changes);

// The annotations that the changes of a forecast ask for.
nlohmann::json forecast_annotations(const nlohmann::json& changes);

// The rate policies that the changes `percent` and `pods` ask for, as `behavior` has them; empty: none.
nlohmann::json rate_policies(const nlohmann::json& changes, const char* percent, const char* pods);

}  // namespace gputided
