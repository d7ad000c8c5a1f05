// What tune found as a patch to apply: a JSON merge patch (RFC 7386) against the manifest as it is written.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gputided {

// For `kubectl patch --type=merge`; lists stand in it whole, as a merge patch replaces them.  Null where `manifest` does not hold
// the scaler in a form that can be read here, and for no changes an empty object.
nlohmann::ordered_json merge_patch(const std::string& manifest, const std::string& scaler,
                                   const nlohmann::json& changes);

// Fields of it that an older Kubernetes or KEDA does not know, a sentence each.
std::vector<std::string> newer_fields(const nlohmann::json& changes);

}  // namespace gputided
