// A replay's report for a terminal: the conclusion first, then figures and sparklines.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

std::string report_text(const nlohmann::json& report);

// The report in one sentence.
std::string report_conclusion(const nlohmann::json& report);

}  // namespace gputided
