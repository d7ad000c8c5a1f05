// Regular expressions with the syntax of Go's regexp and RE2.  Compiled once, matched without recursion in time proportional
// to text × pattern: with a backtracking engine one label could block the host.  Pure.
// Supported: literals, . [a-z] [^a-z] [[:alpha:]] \d \w \s \D \W \S, groups, | * + ? {n,m} (also lazy), ^ $ \A \z \b \B, and
// the flags i and s as (?i) or (?i:...).  Not supported: other flags, names, \p, \Q, octal numbers; letters beyond ASCII
// under (?i).
#pragma once

#include "base/limits.hpp"
#include "base/pattern/code_points.hpp"
#include "base/result.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide {

// One step of the program (K.  Thompson, "Regular Expression Search Algorithm", CACM 11(6), 1968).  All steps except
// split and jump continue at the next one.
struct pattern_step {
    enum class kind : std::uint8_t { set, split, jump, text_start, text_end, word_edge, no_word_edge, match };
    kind what = kind::match;
    std::uint32_t first = 0;   // set: index of the set; split and jump: the target
    std::uint32_t second = 0;  // split: the second target
};

// Limits the total cost of several matches, counted in steps: each active step at each character of a text.  Matching is
// linear, but `(.*a){600}` over a label of one mebibyte would still take ten seconds.
class match_budget {
  public:
    bool spent() const { return steps_ == 0; }
    void spend(std::uint64_t steps) { steps_ -= std::min(steps_, steps); }

  private:
    std::uint64_t steps_ = limits::pattern_steps;
};

class pattern {
  public:
    static constexpr std::size_t max_bytes = 4'096;  // of the pattern's text
    static constexpr std::size_t max_steps = 4'096;
    static constexpr std::size_t max_depth = 64;  // of nested groups

    enum class dot : std::uint8_t { not_newline, any_character };  // meaning of '.', until a flag changes it

    // Compiles a pattern.  Errors name the position in the text and what was expected.
    static result<pattern> compile(std::string_view text, dot takes);

    // Return whether the text matches.  An invalid UTF-8 byte counts as one character.  After the budget is spent the result
    // is false and has no meaning.
    bool matches(std::string_view whole, match_budget& budget) const;  // "llm" does not match "llm-1", "llm-.*" does
    bool found_in(std::string_view text, match_budget& budget) const;  // anywhere

  private:
    friend class pattern_compiler;
    bool runs_through(std::string_view text, bool anywhere, match_budget& budget) const;

    std::vector<pattern_step> steps_;
    std::vector<code_point_set> sets_;
};

}  // namespace gputide
