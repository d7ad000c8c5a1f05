// A part of a compiled pattern, composed of smaller parts.
#pragma once

#include "base/format_text.hpp"
#include "base/pattern/code_points.hpp"
#include "base/pattern/pattern.hpp"
#include "base/result.hpp"
#include "base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gputide {

// The position in a regular expression's text, and the first error.  At the end, and after an error, every character reads as
// '\0'.

class pattern_cursor {
  public:
    explicit pattern_cursor(std::string_view text) : text_(text) {}

    std::size_t size() const { return text_.size(); }
    std::size_t position() const { return at_; }
    bool is_last() const { return at_ + 1 >= text_.size(); }
    bool is_at_end() const { return at_ >= text_.size(); }
    bool more() const { return !is_at_end() && !failure_; }

    char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    std::string_view rest() const { return text_.substr(at_); }  // requires a position within the text

    void skip(std::size_t bytes = 1) { at_ += bytes; }  // may move beyond the end
    void go_to(std::size_t position) { at_ = position; }
    bool take(char wanted) {
        if (here() != wanted) return false;
        ++at_;
        return true;
    }
    std::uint32_t take_code_point() { return next_code_point(text_, at_); }  // requires a position before the end

    error_ptr error_here(std::string_view expected) const {
        return fail(error_class::config, format_text("regular expression {}, at character {}: expected {}",
                                                     in_quotes(text_), at_ + 1, expected));
    }
    void complain(std::string_view expected) {
        if (!failure_) failure_ = error_here(expected);
    }
    const std::optional<error>& failure() const { return failure_; }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<error> failure_;
};

// Parses the parts of a regular expression that match one character (a literal, an escape, a class or a bracket) into a
// set of code points.  Errors go to the cursor.

// Parses . a \.
// \d \W. ignores_case: the flag i is set.
code_point_set read_literal(pattern_cursor& cursor, bool ignores_case);

// Parses [abc] [a-z\d] [^a-z] [[:alpha:]_]; the cursor is at the '['.
code_point_set read_bracket(pattern_cursor& cursor, bool ignores_case);

// Jumps are relative to the fragment's first step, so a fragment can be copied.  The end of a fragment is one past its last
// step.
struct pattern_fragment {
    std::vector<pattern_step> steps;

    void append(const pattern_fragment& part);
    pattern_fragment or_else(const pattern_fragment& other) const;
    pattern_fragment optional() const;
    pattern_fragment any_number() const;  // zero or more times
};

}  // namespace gputide
