// What tells the states of a process apart, and those of two processes (decide/state/state.hpp).
#pragma once

#include <cstdint>

namespace gputide::pipeline {

// Another one with each call, of the first 2^32 in a process; where they begin is drawn, and a forked child begins elsewhere.
// Any thread.
std::uint32_t fresh_salt() noexcept;

}  // namespace gputide::pipeline
