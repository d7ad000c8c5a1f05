// What tells the states of a process apart, and those of two processes (decide/state/decision_id.hpp).
#pragma once

#include <cstdint>

namespace gputide::runtime {

// Another one with each call, of the first 2^32 in a process; where they begin is drawn.  Any thread.
std::uint32_t fresh_salt();

}  // namespace gputide::runtime
