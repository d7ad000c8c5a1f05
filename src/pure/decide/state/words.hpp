// What writer and reader of a saved state must agree on.
#pragma once

#include "base/sample.hpp"
#include "decide/policy.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::decide::state_words {

inline constexpr std::int32_t version = 4;
inline constexpr std::string_view composite = "composite-metric";

inline std::string_view kind(const policy& policy) noexcept {
    return policy.scaling.kind == config::manifest_kind::scaled_object ? "ScaledObject" : "HorizontalPodAutoscaler";
}

// The numbers of sample states in a saved text are those of the first release: ok 0 up to failed 8, and not_given 9.
inline constexpr std::int32_t last_saved_sample_state = 9;

inline std::int32_t saved_number(sample_state state) noexcept {
    return state == sample_state::not_given ? last_saved_sample_state : static_cast<std::int32_t>(state) - 1;
}

inline sample_state sample_state_of(std::int32_t saved) noexcept {
    return saved == last_saved_sample_state ? sample_state::not_given : static_cast<sample_state>(saved + 1);
}

}  // namespace gputide::decide::state_words
