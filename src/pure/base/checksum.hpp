// CRC-32C (Castagnoli, RFC 3720 B.4) detects a damaged text.  "123456789" → e3069283.
// A saved state carries it as its last member: {...,"crc32c":"9a71bb4c"}, over every byte before its comma.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide {

namespace checksum_table {

constexpr std::array<std::uint32_t, 256> make() noexcept {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t i = 0; i < out.size(); ++i) {
        std::uint32_t bits = i;
        for (int step = 0; step < 8; ++step) bits = (bits >> 1U) ^ ((bits & 1U) != 0 ? 0x82f63b78U : 0U);
        out[i] = bits;
    }
    return out;
}

inline constexpr std::array<std::uint32_t, 256> entries = make();

}  // namespace checksum_table

constexpr std::uint32_t crc32c(std::string_view bytes) noexcept {
    std::uint32_t sum = 0xffffffffU;
    for (const char byte : bytes) {
        const auto index = static_cast<std::uint8_t>(sum ^ static_cast<std::uint8_t>(byte));
        sum = (sum >> 8U) ^ checksum_table::entries[index];
    }
    return sum ^ 0xffffffffU;
}

// Closes `body`, an object that is still open, with its checksum as the last member.
inline std::string sealed(std::string body) {
    constexpr std::size_t digit_count = 8;  // lower-case, hexadecimal
    std::array<char, digit_count> digits{};
    const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), crc32c(body), 16).ptr;
    const auto used = static_cast<std::size_t>(end - digits.data());
    body.append(",\"crc32c\":\"").append(digit_count - used, '0').append(digits.data(), used);
    return body.append("\"}");
}

// Returns the body that a text was sealed with; nothing if the checksum does not match.
inline std::optional<std::string_view> unsealed(std::string_view text) {
    constexpr std::size_t seal_size = std::string_view(",\"crc32c\":\"9a71bb4c\"}").size();
    if (text.size() < seal_size) return std::nullopt;
    const std::string_view body = text.substr(0, text.size() - seal_size);
    if (sealed(std::string(body)) != text) return std::nullopt;
    return body;
}

}  // namespace gputide
