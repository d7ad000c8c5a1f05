// A formula's text as a row of tokens, each with its column.  Pure; the tokens borrow the text.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::decide {

enum class token_kind : std::int32_t {
    end,
    integer,   // 5, 1_000, 0xff, 0o17, 0b11
    floating,  // 1.5, .5, 1e3
    name,      // a trigger, a local or a function; also true, false, nil
    symbol,    // operators, brackets and the words and or not in let if else matches contains startsWith endsWith
};

struct token {
    token_kind kind = token_kind::end;
    std::string_view text;
    std::int32_t column = 0;  // from 1; 0: added around the user's text
    std::int64_t integer = 0;
    double number = 0.0;
};

// The last token is `end`.  // and /* */ comments are skipped.
result<std::vector<token>> formula_tokens(std::string_view text);

// Returns whether the text ends within a // comment.
bool ends_in_line_comment(std::string_view text);

// "formula column 7: <what>"; column 0 is the end of the formula.
error formula_error_at(std::int32_t column, const std::string& expected);

}  // namespace gputide::decide
