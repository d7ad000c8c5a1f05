// Serializes the state between two plans.
#pragma once

#include "base/result.hpp"
#include "nodes/state.hpp"

#include <string>
#include <string_view>

namespace gputide::nodes {

std::string save_state(const state& state);

// Loads a saved state completely or not at all; "" is a new state.  Rejects any text that save_state did not write with
// E_STATE.
result<state> load_state(std::string_view text);

}  // namespace gputide::nodes
