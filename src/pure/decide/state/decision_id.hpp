// The ids of decisions, by which a state recognizes its own and records each once.
#pragma once

#include "decide/decision.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

// Returns the id of a state's decision with this number, from 1: the number, and a sum over its sizes and the state's seed.
std::uint64_t id_of(const state& state, const decision& decision, std::uint32_t number) noexcept;

// Gives the state's next decisions ids that no other state takes: call it for a fresh state and for a copy.  A decision made before
// the copy may be recorded in both; in a copy of a copy, one made since the first copy.
void reseed_ids(state& state, std::uint32_t id_seed) noexcept;

}  // namespace gputide::decide
