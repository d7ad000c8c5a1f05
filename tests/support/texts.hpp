// Checks of texts for tests.
#pragma once

#include <string_view>

namespace gputide::testing {

inline bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace gputide::testing
