// Finds errors in a PromQL expression: brackets and strings that are not closed (rejected by every server), and labels in
// Kubernetes' spelling (rejected by Prometheus; VictoriaMetrics accepts a '.' in a name: VictoriaMetrics/metricsql lexer.go
// isIdentChar @01c77e4).  Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

// Splits PromQL into tokens (prometheus/prometheus promql/parser/lex.go).  Lenient: invalid text also becomes tokens, so that
// messages can name it.  Pure.

enum class token_kind : std::int32_t {
    name,      // metric, function, keyword: letters, digits, '_' and ':'
    number,    // 5, 1e3, 0x1f, .5 and durations (5m, 1h30m)
    text,      // a string: "..." and '...' with escapes, `...` without; with its quotes
    unclosed,  // a string that is not closed
    bracket,   // one of ( ) [ ] { }
    sign,      // operators and punctuation; two characters for == != >= <= =~ !~
};

struct token {
    token_kind kind = token_kind::sign;
    std::string_view text;  // of the query
    std::size_t at = 0;     // its first byte in the query
};

// Returns the tokens.  Comments (from # to the end of the line) and blanks are left out.
std::vector<token> tokens_of(std::string_view query);

// Returns the error; "" for a correct query.  Brackets in strings and in comments do not count.
// `sum(rate(x[5m])` → "( at character 4 is not closed"; `a]` → "] at character 2 closes nothing".
std::string unbalanced_part(std::string_view query);

// Returns a label that is not a name in PromQL and has no quotes; "" without such a label.
// `x{app.kubernetes.io/name="a"}` → "app.kubernetes.io/name".
std::string unquoted_label_of(std::string_view query);

// Determines the age of a query's data.  An instant vector has the evaluation time, not the time of its samples: because of
// Prometheus' lookback, a series with a last sample of almost five minutes ago looks current.  A trigger with a maximum age
// therefore sends a second query, built here from the metric selectors of the first.  Pure.

// Returns the metric selectors of a PromQL expression, in order, without repetition: `avg(a{x="1"}) / sum by (pod)
// (rate(b[5m]))` → {a{x="1"}, b}.  Ranges, offsets and @ are removed: the newest sample shows whether the series is alive.
std::vector<std::string> selectors_of(std::string_view query);

// Returns a query for the time of the newest sample of each series, and of these the oldest, in Unix seconds; "" if the query
// names no metric.  Example: up → min(timestamp(up)).
std::string age_query_of(std::string_view query);

}  // namespace gputide::formats::promql
