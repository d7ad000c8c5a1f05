// What all containers' samples come to, as one HTML file.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

// settings: as the library describes them; reports: an array, one of each container.
std::string rightsize_page(const nlohmann::json& settings, const nlohmann::json& reports);

}  // namespace gputided
