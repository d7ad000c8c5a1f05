// Regular expressions as PromQL's =~ has them, over a whole label value.  Compiled once, matched in time proportional to
// text × pattern and without recursion, whatever the pattern: a backtracking engine would let one label stall the host.
// Pure.  RE2's common syntax: literals, . [a-z] [^a-z] \d \w \s \D \W \S, groups, | * + ? {n} {n,m}, ^ and $ at the ends.
#pragma once

#include "base/limits.hpp"
#include "base/result.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace gputide::formats::exposition {

// One step of the machine (K. Thompson, "Regular Expression Search Algorithm", CACM 11(6), 1968).
struct pattern_step {
    enum class kind : std::uint8_t { set, split, jump, match } what = kind::match;
    std::uint32_t first = 0;   // set: index of the set; split and jump: where to go
    std::uint32_t second = 0;  // split: the other way
};

// What the patterns of one page may cost together: steps that are looked at, one per character of a text and step that it keeps
// alive.  Linear as they are, `(.*a){600}` over a label of a mebibyte would take ten seconds.
class match_budget {
  public:
    bool spent() const { return steps_ == 0; }
    void spend(std::uint64_t steps) { steps_ -= std::min(steps_, steps); }

  private:
    std::uint64_t steps_ = limits::pattern_steps;
};

// Code points, as inclusive ranges.
using code_point_set = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The code point at `at`, which moves behind it; a byte that is no UTF-8 counts as one.  Only where at < text.size().
std::uint32_t next_code_point(std::string_view text, std::size_t& at);

class pattern {
  public:
    static constexpr std::size_t most_bytes = 4'096;  // of the text
    static constexpr std::size_t most_steps = 4'096;
    static constexpr std::size_t most_depth = 64;  // groups inside groups

    // Errors name the place in the text and what was expected.
    static result<pattern> compile(std::string_view text);

    // Fully anchored: "llm" does not match "llm-1", "llm-.*" does.  Bytes that are no UTF-8 count one each.  False also where the
    // budget is spent: then no answer counts.
    bool matches(std::string_view whole, match_budget& budget) const;

  private:
    friend class pattern_compiler;
    std::vector<pattern_step> steps_;
    std::vector<code_point_set> sets_;
};

}  // namespace gputide::formats::exposition
