#pragma once
#include <string>

namespace gputide::testing {

// A file below tests/, by its name there: file_path("cases/azure-token.json").
std::string file_path(const std::string& name);

}  // namespace gputide::testing
