// Serializes the state between two plans.
#pragma once

#include "base/result.hpp"
#include "nodes/state.hpp"

#include <string>
#include <string_view>

namespace gputide::nodes {

std::string save_state(const state& state);

// "" is a new state.  Any text that save_state did not write is rejected with E_STATE; nothing is loaded partly.
result<state> load_state(std::string_view text);

}  // namespace gputide::nodes
