// PromQL queries: tokens, the metric selectors and errors that tokens show, and the query as a tree.  Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// Finds what every server rejects, brackets and strings that are not closed.  Returns the error; "" for a correct query.
// Brackets in strings and in comments do not count.
// `sum(rate(x[5m])` → "( at character 4 is not closed"; `a]` → "] at character 2 closes nothing".
std::string unbalanced_part(std::string_view query);

// Returns a label that is not a name in PromQL and has no quotes; "" without such a label.  Prometheus rejects labels in
// Kubernetes' spelling; VictoriaMetrics accepts a '.' in a name (VictoriaMetrics/metricsql lexer.go isIdentChar @01c77e4).
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

// A query as a tree (prometheus/prometheus promql/parser/generated_parser.y).

enum class expression_kind : std::int32_t { number, text, selector, call, aggregation, binary };

struct label_matcher {
    std::string label;
    std::string sign;  // = != =~ !~
    std::string value;
    bool operator==(const label_matcher&) const = default;
};

// Parentheses and vector matching (on, ignoring, group_left) are not stored: they do not change the meaning of the result.  A
// sign before an operand is a product with -1.
struct expression {
    expression_kind kind = expression_kind::number;
    std::string name;                     // metric, function, aggregation or operator; in lower case except metrics
    std::vector<expression> parts;        // arguments, or both sides
    std::vector<label_matcher> matchers;  // of a selector
    double number = 0.0;
    bool is_grouped = false;            // an aggregation with `by` or `without`
    bool is_without = false;            // an aggregation with `without`
    std::vector<std::string> grouping;  // its labels
    std::string range;                  // the text after an operand, without blanks: "[5m]", "offset1h", "@end()"
    bool has_bool = false;              // a comparison with `bool`, which returns 0 or 1
    // Tells whether both read the same series over the same time.
    bool operator==(const expression&) const = default;
};

// Parses a query.  Returns nothing if it cannot be parsed or is too large (64 levels, 400 operators): it may be a dialect
// (MetricsQL), an error, or newer syntax.
std::optional<expression> parse(std::string_view query);

// PromQL's keywords (prometheus/prometheus promql/parser/lex.go), in lower case: PromQL ignores their case.
inline constexpr std::array<std::string_view, 10> keywords = {"and",  "or",    "unless", "atan2", "offset",
                                                              "bool", "start", "end",    "inf",   "nan"};
inline constexpr std::array<std::string_view, 6> label_keywords = {"by",       "without",    "on",
                                                                   "ignoring", "group_left", "group_right"};
inline constexpr std::array<std::string_view, 14> aggregations = {
    "sum",    "avg",      "count",        "min",     "max",  "group",  "stddev",
    "stdvar", "quantile", "count_values", "bottomk", "topk", "limitk", "limit_ratio"};

template <class List>
bool holds_word(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

inline bool is_keyword(std::string_view word) { return holds_word(keywords, word); }
inline bool takes_labels(std::string_view word) { return holds_word(label_keywords, word); }
inline bool is_aggregation(std::string_view word) { return holds_word(aggregations, word); }

}  // namespace gputide::formats::promql
