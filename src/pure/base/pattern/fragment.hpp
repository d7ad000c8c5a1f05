// A piece of a pattern's program, composed of smaller ones.
#pragma once

#include "base/pattern/pattern.hpp"

#include <vector>

namespace gputide {

// Jumps are relative to the piece's first step, so that it can be copied; its end is one past its last step.
struct pattern_fragment {
    std::vector<pattern_step> steps;

    void append(const pattern_fragment& part);
    pattern_fragment or_else(const pattern_fragment& other) const;
    pattern_fragment optional() const;
    pattern_fragment any_number() const;  // zero or more times
};

}  // namespace gputide
