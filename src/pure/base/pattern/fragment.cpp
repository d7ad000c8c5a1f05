#include "base/pattern/fragment.hpp"

#include <cstdint>

namespace gputide {
namespace {

std::uint32_t size_of(const pattern_fragment& part) { return static_cast<std::uint32_t>(part.steps.size()); }

}  // namespace

void pattern_fragment::append(const pattern_fragment& part) {
    const std::uint32_t base = size_of(*this);
    for (pattern_step step : part.steps) {
        const bool splits = step.what == pattern_step::kind::split;
        if (splits || step.what == pattern_step::kind::jump) step.first += base;
        if (splits) step.second += base;
        steps.push_back(step);
    }
}

pattern_fragment pattern_fragment::or_else(const pattern_fragment& other) const {
    pattern_fragment out{{{pattern_step::kind::split, 1, size_of(*this) + 2}}};
    out.append(*this);
    out.steps.push_back({pattern_step::kind::jump, size_of(*this) + 2 + size_of(other), 0});
    out.append(other);
    return out;
}

pattern_fragment pattern_fragment::optional() const {
    pattern_fragment out{{{pattern_step::kind::split, 1, size_of(*this) + 1}}};
    out.append(*this);
    return out;
}

pattern_fragment pattern_fragment::any_number() const {
    pattern_fragment out{{{pattern_step::kind::split, 1, size_of(*this) + 2}}};
    out.append(*this);
    out.steps.push_back({pattern_step::kind::jump, 0, 0});
    return out;
}

}  // namespace gputide
