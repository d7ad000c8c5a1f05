// Regular expressions as Go's regexp searches them, without backtracking: time is bounded by pattern size × text size.
// Literals, ., classes ([a-z], \d \w \s and their opposites), groups, |, * + ? {n,m} (also lazy), ^ $ \b, (?i) and (?:...).
// Not known: flags beyond i, \p classes, named classes.
#pragma once

#include "base/result.hpp"

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::nodes {

class pattern {
  public:
    static result<pattern> compile(std::string_view text);

    // Whether it matches somewhere in the text.
    bool found_in(std::string_view text) const;

    enum class step_kind : std::uint8_t { bytes, split, jump, text_start, text_end, word_edge, no_word_edge, match };
    struct step {
        step_kind kind = step_kind::match;
        std::uint32_t next = 0;   // of split: the first way
        std::uint32_t other = 0;  // of split: the second way; of bytes: which set
    };
    using byte_set = std::bitset<256>;

  private:
    std::vector<step> steps_;
    std::vector<byte_set> sets_;
    friend class pattern_compiler;
};

}  // namespace gputide::nodes
