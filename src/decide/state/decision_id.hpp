// What a state knows its decisions by, so that each is recorded once and no other is.
#pragma once

#include "decide/decision.hpp"

#include <cstdint>

namespace gputide::decide {

// Of the number-th decision of a state, from 1: the number, and a sum over its sizes.
std::uint64_t id_of(const decision& decision, std::uint32_t number) noexcept;

}  // namespace gputide::decide
