// A PromQL query as a tree (prometheus/prometheus promql/parser/generated_parser.y).  Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::formats::promql {

enum class expression_kind : std::int32_t { number, text, selector, call, aggregation, binary };

struct label_matcher {
    std::string label;
    std::string sign;  // = != =~ !~
    std::string value;
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
