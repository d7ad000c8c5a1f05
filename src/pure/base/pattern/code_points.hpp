// Sets of characters for regular expressions.
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

// Returns all other code points up to last_code_point.
code_point_set complement(code_point_set set);

// Adds the other case of each ASCII letter, and U+017F and U+212A to s and k, as Unicode folds them.
code_point_set without_case(code_point_set set);

// Returns the code points of \d, \w or \s, given the letter; nothing for any other letter.
std::optional<code_point_set> class_of(char letter);

// Returns the code points of a named class such as alpha in [:alpha:]; nothing for any other name.
std::optional<code_point_set> class_of(std::string_view name);

// Tells whether a code point is in [0-9A-Za-z_]: \w, and the word characters of \b.
constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Returns the code point at `at` and moves `at` past it.  An invalid UTF-8 byte counts as one code point.  Requires at <
// text.size().
std::uint32_t next_code_point(std::string_view text, std::size_t& at);

}  // namespace gputide
