// A plan as one HTML file: GPUs by node before and after, the money, and every reason.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace gputided {

std::string plan_page(const nlohmann::json& plan);

}  // namespace gputided
