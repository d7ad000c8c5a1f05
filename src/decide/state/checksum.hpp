// CRC-32C (Castagnoli, RFC 3720 B.4): tells a damaged text from a whole one.  "123456789" → e3069283.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gputide::decide {

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
    for (const char one : bytes) {
        const auto index = static_cast<std::uint8_t>(sum ^ static_cast<std::uint8_t>(one));
        sum = (sum >> 8U) ^ checksum_table::entries[index];
    }
    return sum ^ 0xffffffffU;
}

}  // namespace gputide::decide
