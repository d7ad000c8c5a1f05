// Messages of an external scaler, made by hand.
#pragma once

#include "source/grpc/grpc.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::testing {

inline std::string framed(std::string_view message) {
    std::string out(4, '\0');
    out.push_back(static_cast<char>(message.size()));
    return out.append(message);
}

// A MetricSpec or a MetricValue.
inline std::string entry_of(std::string_view name, std::int64_t integer, double number) {
    std::string out;
    source::grpc::put_bytes(out, 1, name);
    out.push_back('\x10');
    auto rest = static_cast<std::uint64_t>(integer);
    for (; rest >= 0x80; rest >>= 7) out.push_back(static_cast<char>(rest | 0x80));
    out.push_back(static_cast<char>(rest));
    out.push_back('\x19');
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<char>(bits >> 8 * i));
    return out;
}

inline std::string repeated(const std::vector<std::string>& entries) {
    std::string out;
    for (const std::string& entry : entries) source::grpc::put_bytes(out, 1, entry);
    return out;
}

}  // namespace gputide::testing
