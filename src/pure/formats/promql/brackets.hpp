// Finds what a server rejects in a PromQL expression: brackets and strings that are not closed (every server), and labels in
// Kubernetes' spelling (Prometheus; VictoriaMetrics accepts a '.' in a name: VictoriaMetrics/metricsql lexer.go isIdentChar @01c77e4).
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

// Splits PromQL into tokens (prometheus/prometheus promql/parser/lex.go).  Lenient: invalid text becomes tokens as
// well, so that messages can name it.  Pure.

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

// Returns the error for a message; "" if there is none.  Brackets in strings and in comments do not count.
// `sum(rate(x[5m])` → "( at character 4 is not closed"; `a]` → "] at character 2 closes nothing".
std::string unbalanced_part(std::string_view query);

// Returns a label that is not a name in PromQL and has no quotes: `x{app.kubernetes.io/name="a"}` → "app.kubernetes.io/name".
// "": there is none.
std::string unquoted_label_of(std::string_view query);

}  // namespace gputide::formats::promql
