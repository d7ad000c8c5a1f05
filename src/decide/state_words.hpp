// What writer and reader of a saved state must agree on.
#pragma once

#include "decide/policy.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace gputide::decide::state_words {

inline constexpr std::int32_t version = 1;
inline constexpr std::string_view checksum_key = ",\"crc32c\":\"";
inline constexpr std::size_t checksum_digits = 8;

inline std::string_view kind(const policy& by) noexcept {
    return by.scaling.kind == config::manifest_kind::scaled_object ? "ScaledObject" : "HorizontalPodAutoscaler";
}

// Eight lower-case hexadecimal digits.
inline std::string checksum_text(std::uint32_t sum) {
    std::array<char, checksum_digits> digits{};
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), sum, 16).ptr;
    const auto used = static_cast<std::size_t>(end - digits.data());
    return std::string(checksum_digits - used, '0').append(digits.data(), used);
}

}  // namespace gputide::decide::state_words
