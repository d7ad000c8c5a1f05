// A piece of a pattern's machine, put together from smaller ones.
#pragma once

#include "base/pattern/pattern.hpp"

#include <vector>

namespace gputide {

// Jumps count from the piece's own first step, so that it can be copied; its end is one past its last.
struct pattern_fragment {
    std::vector<pattern_step> steps;

    void append(const pattern_fragment& part);
    pattern_fragment or_else(const pattern_fragment& other) const;
    pattern_fragment optional() const;
    pattern_fragment any_number() const;  // none among them
};

}  // namespace gputide
