// The metrics of a policy as a host counts and names them.
#pragma once

#include "decide/policy.hpp"

#include <cstdint>

namespace gputide::capi {

inline std::uint32_t metric_count(const decide::policy& policy) {
    return static_cast<std::uint32_t>(policy.metrics.size());
}

// Its label; nullptr beyond the last one.
inline const char* metric_name(const decide::policy& policy, std::uint32_t index) {
    if (index >= policy.metrics.size()) return nullptr;
    return policy.metrics[index].label().c_str();
}

}  // namespace gputide::capi
