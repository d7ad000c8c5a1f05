// Sets of characters that regular expressions are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide {

inline constexpr std::uint32_t last_code_point = 0x10ffff;

// Code points, as inclusive ranges in any order.
using code_point_set = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

bool holds(const code_point_set& set, std::uint32_t c);

// All others up to last_code_point.
code_point_set complement(code_point_set set);

// Each ASCII letter in both cases, and U+017F and U+212A beside s and k, as Unicode folds them.
code_point_set without_case(code_point_set set);

// Of \d, \w and \s the letter; nothing for another one.
std::optional<code_point_set> class_of(char letter);

// Of [:alpha:] and its like the name; nothing for another one.
std::optional<code_point_set> class_of(std::string_view name);

// [0-9A-Za-z_]: what \w holds, and what \b looks at.
constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The code point at `at`, which moves behind it; a byte that is no UTF-8 counts as one.  Only where at < text.size().
std::uint32_t next_code_point(std::string_view text, std::size_t& at);

}  // namespace gputide
