// What of a policy counts as its spec: two checksums, so that a state knows when its manifest was changed.  Pure.
#pragma once

#include <cstdint>

namespace gputide::decide {

struct policy;

struct spec_sums {
    // Of the HorizontalPodAutoscaler's spec, or of the one that KEDA makes of a ScaledObject: target, metrics with their targets,
    // max(1, minimum), maximum, behavior.  The object's creation time takes part: made again, it is another one.
    std::uint32_t hpa = 0;
    std::uint32_t whole = 0;  // and of all else that the policy decides by: periods, cooldowns, fallback, queries

    bool operator==(const spec_sums&) const = default;
};

// Never 0: that stands for an unknown one.
spec_sums spec_sums_of(const policy& policy);

}  // namespace gputide::decide
