// Sets of bytes that patterns are made of.
#pragma once

#include "nodes/expander/pattern.hpp"

#include <optional>

namespace gputide::nodes {

// [0-9A-Za-z_]
bool is_word(char c);

void add_range(pattern::byte_set& set, unsigned char from, unsigned char to);

// \d, \w, \s and, as capitals, their opposites; nothing for another letter.
std::optional<pattern::byte_set> class_of(char letter);

// \n, \t and the like.
std::optional<char> control_of(char letter);

}  // namespace gputide::nodes
