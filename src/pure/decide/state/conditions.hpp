// Conditions as Kubernetes keeps them: one per type, the last setting of a pass wins.
// kubernetes/kubernetes pkg/controller/podautoscaler/horizontal.go (setCondition, setConditionInList).
#pragma once

#include "decide/decision.hpp"

#include <array>
#include <cstdint>

namespace gputide::decide {

using condition_list = std::array<condition, condition_count>;

inline const condition& condition_of(const condition_list& list, condition_type type) noexcept {
    return list[static_cast<std::size_t>(type)];
}

// lastTransitionTime changes only when the truth does, not with the reason.
inline void set_condition(condition_list& list, condition_type type, truth is, reason why,
                          std::int64_t now_ms) noexcept {
    condition& one = list[static_cast<std::size_t>(type)];
    if (one.truth != is) one.since_ms = now_ms;
    one.truth = is;
    one.reason = why;
}

inline void remove_condition(condition_list& list, condition_type type) noexcept {
    list[static_cast<std::size_t>(type)] = condition{};
}

}  // namespace gputide::decide
