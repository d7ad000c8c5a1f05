// A report of check as SARIF 2.1.0 (OASIS), which code hosts show as annotations of a change.
#pragma once

#include <nlohmann/json.hpp>

namespace gputided {

// `report` as gputide_manifest_check gives it: {"errors", "warnings", "findings": [...]}.
nlohmann::ordered_json sarif_of(const nlohmann::ordered_json& report);

}  // namespace gputided
