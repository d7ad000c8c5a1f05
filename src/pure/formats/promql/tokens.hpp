// Splits PromQL into tokens (prometheus/prometheus promql/parser/lex.go).  Lenient: invalid text becomes tokens as
// well, so that messages can name it.  Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

enum class token_kind : std::int32_t {
    name,      // metric, function, keyword: letters, digits, '_' and ':'
    number,    // 5, 1e3, 0x1f, .5 and durations (5m, 1h30m)
    text,      // "..." and '...' with escapes, `...` without; the quotes are part of it
    unclosed,  // a text that does not end
    bracket,   // one of ( ) [ ] { }
    sign,      // operators and punctuation, two characters where they belong together: == != >= <= =~ !~
};

struct token {
    token_kind kind = token_kind::sign;
    std::string_view text;  // of the query
    std::size_t at = 0;     // its first byte in the query
};

// Returns the tokens.  Comments (from # to the end of the line) and blanks are left out.
std::vector<token> tokens_of(std::string_view query);

}  // namespace gputide::formats::promql
