#include "formats/promql/brackets.hpp"

#include "base/format_text.hpp"
#include "formats/promql/tokens.hpp"

namespace gputide::formats::promql {
namespace {

char closing_of(char bracket) { return bracket == '(' ? ')' : bracket == '[' ? ']' : '}'; }

std::string about(const token& what, std::string_view fault) {
    return format_text("{} at character {} {}", what.text.substr(0, 1), what.at + 1, fault);
}

}  // namespace

std::string unbalanced_part(std::string_view query) {
    std::vector<token> open;
    for (const token& one : tokens_of(query)) {
        if (one.kind == token_kind::unclosed) return about(one, "opens a text that does not end");
        if (one.kind != token_kind::bracket) continue;
        const char c = one.text.front();
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(one);
            continue;
        }
        if (open.empty()) return about(one, "closes nothing");
        if (closing_of(open.back().text.front()) != c) {
            return about(one,
                         format_text("does not close the {} at character {}", open.back().text, open.back().at + 1));
        }
        open.pop_back();
    }
    return open.empty() ? "" : about(open.back(), "is not closed");
}

}  // namespace gputide::formats::promql
