// The state as a text between two plans.
#pragma once

#include "base/result.hpp"
#include "nodes/state.hpp"

#include <string>
#include <string_view>

namespace gputide::nodes {

std::string save_state(const state& state);

// "" is a fresh state.  Anything else than what save_state writes is refused with E_STATE; nothing is loaded in part.
result<state> load_state(std::string_view text);

}  // namespace gputide::nodes
