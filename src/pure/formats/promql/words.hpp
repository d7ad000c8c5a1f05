// PromQL's keywords (prometheus/prometheus promql/parser/lex.go), in lower case: PromQL ignores their case.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace gputide::formats::promql {

inline constexpr std::array<std::string_view, 10> keywords = {"and",  "or",    "unless", "atan2", "offset",
                                                              "bool", "start", "end",    "inf",   "nan"};
inline constexpr std::array<std::string_view, 6> label_keywords = {"by",       "without",    "on",
                                                                   "ignoring", "group_left", "group_right"};
inline constexpr std::array<std::string_view, 14> aggregations = {
    "sum",    "avg",      "count",        "min",     "max",  "group",  "stddev",
    "stdvar", "quantile", "count_values", "bottomk", "topk", "limitk", "limit_ratio"};

template <class List>
bool holds_word(const List& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

inline bool is_keyword(std::string_view word) { return holds_word(keywords, word); }
inline bool takes_labels(std::string_view word) { return holds_word(label_keywords, word); }
inline bool is_aggregation(std::string_view word) { return holds_word(aggregations, word); }

}  // namespace gputide::formats::promql
