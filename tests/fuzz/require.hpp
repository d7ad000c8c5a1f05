// What the fuzzers hold their subjects to.
#pragma once

#include "base/result.hpp"
#include "base/text.hpp"

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

}  // namespace gputide::fuzz
