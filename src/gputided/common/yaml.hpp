// A manifest as it is written, for what is to be written back: documents as JSON.  The library has read it before and found no error.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gputided {

// Each document of a YAML or JSON text; without libyaml the JSON form alone, and none of a text that is not.  Plain scalars become
// numbers, true, false and null as in YAML 1.2; anchors are followed.
std::vector<nlohmann::ordered_json> documents_of(const std::string& text);

}  // namespace gputided
