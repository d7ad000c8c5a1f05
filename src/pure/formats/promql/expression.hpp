// A PromQL query as a tree (prometheus/prometheus promql/parser/generated_parser.y).  Pure.
#pragma once

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

}  // namespace gputide::formats::promql
