// Brackets and strings; prometheus/prometheus promql/parser/lex.go: strings stand in ", ' (with escapes) or ` (without), and a
// comment goes from # to the end of its line.
#include "formats/query_api/brackets.hpp"

#include "base/format_text.hpp"

#include <cstddef>
#include <vector>

namespace gputide::formats::query_api {
namespace {

struct opened {
    char bracket;
    std::size_t at;
};

// The end of the string that begins at `at`; npos: it has none.
std::size_t end_of_string(std::string_view query, std::size_t at) {
    const char quote = query[at];
    for (std::size_t i = at + 1; i < query.size(); ++i) {
        if (query[i] == quote) return i;
        if (query[i] == '\\' && quote != '`') ++i;
    }
    return std::string_view::npos;
}

char closing_of(char bracket) { return bracket == '(' ? ')' : bracket == '[' ? ']' : '}'; }

std::string about(char what, std::size_t at, std::string_view fault) {
    return format_text("{} at character {} {}", std::string_view(&what, 1), at + 1, fault);
}

}  // namespace

std::string unbalanced_part(std::string_view query) {
    std::vector<opened> open;
    for (std::size_t i = 0; i < query.size(); ++i) {
        const char c = query[i];
        if (c == '"' || c == '\'' || c == '`') {
            const std::size_t end = end_of_string(query, i);
            if (end == std::string_view::npos) return about(c, i, "opens a text that does not end");
            i = end;
        } else if (c == '#') {
            while (i < query.size() && query[i] != '\n') ++i;
        } else if (c == '(' || c == '[' || c == '{') {
            open.push_back({c, i});
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty()) return about(c, i, "closes nothing");
            if (closing_of(open.back().bracket) != c) {
                return about(c, i,
                             format_text("does not close the {} at character {}",
                                         std::string_view(&open.back().bracket, 1), open.back().at + 1));
            }
            open.pop_back();
        }
    }
    return open.empty() ? "" : about(open.back().bracket, open.back().at, "is not closed");
}

}  // namespace gputide::formats::query_api
