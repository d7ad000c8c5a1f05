// A replay's report as one HTML file: charts and all, nothing loaded from elsewhere.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

std::string report_page(const nlohmann::json& report);

}  // namespace gputided
