// Regular expressions as Go's regexp and RE2 have them.  Compiled once, matched in time proportional to text × pattern and
// without recursion, whatever the pattern: a backtracking engine would let one label stall the host.  Pure.
// Literals, . [a-z] [^a-z] [[:alpha:]] \d \w \s \D \W \S, groups, | * + ? {n,m} (also lazy), ^ $ \A \z \b \B, and the flags i and
// s as (?i) or (?i:...).  Not known: other flags, names, \p, \Q, octal numbers; letters beyond ASCII under (?i).
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

// A limit on the total cost of several matches: steps examined, one per character of a text and active step.  Although
// matching is linear, `(.*a){600}` over a label of a mebibyte would take ten seconds.
class match_budget {
  public:
    bool spent() const { return steps_ == 0; }
    void spend(std::uint64_t steps) { steps_ -= std::min(steps_, steps); }

  private:
    std::uint64_t steps_ = limits::pattern_steps;
};

class pattern {
  public:
    static constexpr std::size_t max_bytes = 4'096;  // of the text
    static constexpr std::size_t max_steps = 4'096;
    static constexpr std::size_t max_depth = 64;  // groups inside groups

    enum class dot : std::uint8_t { not_newline, any_character };  // until a flag says otherwise

    // Compiles a pattern.  Errors name the position in the text and what was expected.
    static result<pattern> compile(std::string_view text, dot takes);

    // Invalid UTF-8 bytes count as one character each.  Also false if the budget is spent: the result is invalid then.
    bool matches(std::string_view whole, match_budget& budget) const;  // "llm" does not match "llm-1", "llm-.*" does
    bool found_in(std::string_view text, match_budget& budget) const;  // anywhere

  private:
    friend class pattern_compiler;
    bool runs_through(std::string_view text, bool anywhere, match_budget& budget) const;

    std::vector<pattern_step> steps_;
    std::vector<code_point_set> sets_;
};

}  // namespace gputide
