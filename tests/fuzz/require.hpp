// What the fuzzers hold their subjects to.
#pragma once

#include "base/result.hpp"
#include "base/text.hpp"

#include <cstddef>
#include <cstdlib>

namespace gputide::fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}

inline void require_reason(const error& why) {
    require(why.status != status::ok && !why.message.empty() && valid_utf8(why.message));
}

// A value, or a reason that a person can read.
template <class Outcome>
void require_reason(const Outcome& outcome) {
    if (!outcome) require_reason(outcome.failure());
}

// One way of several to read an input, by its size: an execution is short, and an input is soon tried one byte longer.
template <class Way, std::size_t Count>
Way one_of(const Way (&ways)[Count], std::size_t size) {
    return ways[size % Count];
}

}  // namespace gputide::fuzz
