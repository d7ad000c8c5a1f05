// Splits PromQL into tokens, and finds what tokens show.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "formats/promql/promql.hpp"

#include <algorithm>
#include <array>

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

// Returns the label that begins at that token, with any characters; "" if no matcher's operator follows it.
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
        if (token.kind == token_kind::unclosed) return about(token, "opens a string that is not closed");
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

namespace {

bool starts_name(char c) { return is_letter(c) || c == '_' || c == ':'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
bool is_bracket(char c) { return std::string_view("()[]{}").find(c) != std::string_view::npos; }

class lexer {
  public:
    explicit lexer(std::string_view query) : query_(query) {}

    std::vector<token> tokens() {
        while (at_ < query_.size()) read_next();
        return std::move(out_);
    }

  private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < query_.size() ? query_[at_ + ahead] : '\0'; }

    void add(token_kind kind, std::size_t length) {
        length = std::min(length, query_.size() - at_);
        out_.push_back({kind, query_.substr(at_, length), at_});
        at_ += length;
    }

    void read_next() {
        const char c = peek();
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at_;
        } else if (c == '#') {
            at_ = std::min(query_.find('\n', at_), query_.size());
        } else if (is_quote(c)) {
            read_text();
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            add(token_kind::number, number_length());
        } else if (starts_name(c)) {
            std::size_t length = 1;
            while (in_name(peek(length))) ++length;
            add(token_kind::name, length);
        } else if (is_bracket(c)) {
            add(token_kind::bracket, 1);
        } else {
            add(token_kind::sign, sign_length());
        }
    }

    void read_text() {
        const char quote = peek();
        for (std::size_t i = 1; at_ + i < query_.size(); ++i) {
            if (peek(i) == quote) return add(token_kind::text, i + 1);
            if (peek(i) == '\\' && quote != '`') ++i;
        }
        add(token_kind::unclosed, query_.size() - at_);
    }

    std::size_t number_length() const {
        std::size_t length = 1;
        const bool is_hex = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (true) {
            const char c = peek(length);
            const char before = peek(length - 1);
            const bool is_exponent_sign =
                (c == '+' || c == '-') && !is_hex && (before == 'e' || before == 'E') && is_digit(peek(length + 1));
            if (!is_exponent_sign && c != '.' && (!in_name(c) || c == ':')) return length;
            ++length;
        }
    }

    std::size_t sign_length() const {
        constexpr std::array<std::string_view, 6> pairs = {"==", "!=", ">=", "<=", "=~", "!~"};
        const std::string_view two = query_.substr(at_, 2);
        for (const std::string_view pair : pairs) {
            if (two == pair) return 2;
        }
        return 1;
    }

    std::string_view query_;
    std::size_t at_ = 0;
    std::vector<token> out_;
};

}  // namespace

std::vector<token> tokens_of(std::string_view query) { return lexer(query).tokens(); }

// Finds metric selectors in the tokens, without the parser: works also for dialects and invalid queries.

namespace {

class finder {
  public:
    explicit finder(std::string_view query) : query_(query), tokens_(tokens_of(query)) {}

    std::vector<std::string> selectors() {
        while (at_ < tokens_.size()) step();
        return std::move(found_);
    }

  private:
    bool is(std::size_t at, std::string_view text) const { return at < tokens_.size() && tokens_[at].text == text; }

    void step() {
        const std::size_t start = at_++;
        if (is(start, "{")) {
            skip_to("}");
            add(start);
        } else if (is(start, "[")) {
            skip_to("]");
        } else if (tokens_[start].kind == token_kind::name) {
            read_name(start);
        }
    }

    void read_name(std::size_t start) {
        const std::string word = lower(tokens_[start].text);
        const bool is_name_next = at_ < tokens_.size() && tokens_[at_].kind == token_kind::name;
        if (takes_labels(word)) {
            if (is(at_, "(")) skip_to(")");
        } else if (is(at_, "(") || is_keyword(word) || (is_aggregation(word) && is_name_next)) {
            return;  // a function, an operator, or sum by (pod) (...)
        } else {
            if (is(at_, "{")) skip_to("}");
            add(start);
        }
    }

    // Moves past the next bracket of that kind; label lists and matchers contain no brackets.
    void skip_to(std::string_view closing) {
        while (at_ < tokens_.size() && tokens_[at_].text != closing) ++at_;
        if (at_ < tokens_.size()) ++at_;
    }

    void add(std::size_t first) {
        const token& last = tokens_[at_ - 1];
        const std::size_t from = tokens_[first].at;
        const std::string_view selector = query_.substr(from, last.at + last.text.size() - from);
        if (std::ranges::find(found_, selector) == found_.end()) found_.emplace_back(selector);
    }

    std::string_view query_;
    std::vector<token> tokens_;
    std::size_t at_ = 0;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> selectors_of(std::string_view query) { return finder(query).selectors(); }

std::string age_query_of(std::string_view query) {
    const std::vector<std::string> selectors = selectors_of(query);
    if (selectors.empty()) return {};
    if (selectors.size() == 1) return format_text("min(timestamp({}))", selectors.front());
    // `or` drops series with labels equal to those of its left side, so each minimum gets its own label.
    std::string out = "min(";
    for (std::size_t i = 0; i < selectors.size(); ++i) {
        if (i != 0) out += " or ";
        out += format_text("label_replace(min(timestamp({})), \"part\", \"{}\", \"\", \"\")", selectors[i], i);
    }
    return out + ")";
}

}  // namespace gputide::formats::promql
