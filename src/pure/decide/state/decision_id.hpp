// What a state knows its decisions by, so that each is recorded once and no other is.
#pragma once

#include "decide/decision.hpp"
#include "decide/state/state.hpp"

#include <cstdint>

namespace gputide::decide {

// Of the number-th decision of a state, from 1: the number, and a sum over its sizes and the state's salt.
std::uint64_t id_of(const state& state, const decision& decision, std::uint32_t number) noexcept;

// From now on the state's decisions are its own: a fresh one is told apart from others, a copy from its original.  What was
// decided before the copy stays good in both; of a copy of a copy, what was decided since the first copy.
void salt_decisions(state& state, std::uint32_t salt) noexcept;

}  // namespace gputide::decide
