// A manifest, loaded as a host program's would be.
#pragma once

#include "config/load.hpp"
#include "through/manifests.hpp"

#include <string>
#include <vector>

namespace conformance {

gputide::config::loaded load_manifest(const json& manifest);

// "message" of each error, of those with that code where one is given; in the order found.
std::vector<std::string> error_messages(const gputide::config::report& from, std::string_view code = {});

}  // namespace conformance
