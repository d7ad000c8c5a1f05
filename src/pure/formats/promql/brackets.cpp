#include "formats/promql/brackets.hpp"

#include "base/format_text.hpp"
#include "formats/promql/tokens.hpp"

namespace gputide::formats::promql {
namespace {

char closing_of(char bracket) { return bracket == '(' ? ')' : bracket == '[' ? ']' : '}'; }

std::string about(const token& what, std::string_view fault) {
    return format_text("{} at character {} {}", what.text.substr(0, 1), what.at + 1, fault);
}

bool is_part_of_label(const token& part) {
    return part.kind == token_kind::name || part.kind == token_kind::number || part.text == "." || part.text == "/" ||
           part.text == "-";
}

// Returns the label that begins at that token, whatever its characters are; "" where no matcher's operator follows it.
std::string_view label_at(std::string_view query, const std::vector<token>& tokens, std::size_t first) {
    std::size_t end = first;
    while (end < tokens.size() && is_part_of_label(tokens[end])) ++end;
    if (end == first || end == tokens.size() || tokens[end].text.find('=') == std::string_view::npos) return {};
    const token& last = tokens[end - 1];
    return query.substr(tokens[first].at, last.at + last.text.size() - tokens[first].at);
}

}  // namespace

std::string unquoted_label_of(std::string_view query) {
    const std::vector<token> tokens = tokens_of(query);
    bool is_in_braces = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].text == "{") is_in_braces = true;
        if (tokens[i].text == "}") is_in_braces = false;
        if (!is_in_braces || (tokens[i].text != "{" && tokens[i].text != ",")) continue;
        const std::string_view label = label_at(query, tokens, i + 1);
        if (label.find_first_of("./-") != std::string_view::npos) return std::string(label);
    }
    return {};
}

std::string unbalanced_part(std::string_view query) {
    std::vector<token> open;
    for (const token& token : tokens_of(query)) {
        if (token.kind == token_kind::unclosed) return about(token, "opens a text that does not end");
        if (token.kind != token_kind::bracket) continue;
        const char c = token.text.front();
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(token);
            continue;
        }
        if (open.empty()) return about(token, "closes nothing");
        if (closing_of(open.back().text.front()) != c) {
            return about(token,
                         format_text("does not close the {} at character {}", open.back().text, open.back().at + 1));
        }
        open.pop_back();
    }
    return open.empty() ? "" : about(open.back(), "is not closed");
}

}  // namespace gputide::formats::promql
