// Addresses in the host part of a URL.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gputide::http {

// Parses an address such as 127.0.0.1: four decimal numbers without leading zeros.
std::optional<std::uint32_t> parse_ipv4(std::string_view host);

// Returns "::1" for "[::1]".
std::string without_brackets(std::string host);

}  // namespace gputide::http
