// Parts of a manifest, as the cases write them, made into a whole one and loaded as a host program's would be.
#pragma once

#include "config/load.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace conformance {

using json = nlohmann::json;

// Adds what the case leaves out: scaleTargetRef, and one prometheus trigger where there is none.
json scaled_object_of(json spec, const json& annotations = json::object());
json horizontal_pod_autoscaler_of(json spec);

gputide::config::loaded load_manifest(const json& manifest);

// "message" of each error, of those with that code where one is given; in the order found.
std::vector<std::string> error_messages(const gputide::config::report& from, std::string_view code = {});

}  // namespace conformance
