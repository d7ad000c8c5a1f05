// The lexer and the cursor over its tokens.  Accepts the words and number forms of expr-lang/expr v1.17 parser/lexer, without
// strings, which scaling formulas do not need.
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "decide/formula/compile/parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace gputide::decide {

namespace {

constexpr std::array<std::string_view, 11> symbol_words = {"and",  "or",      "not",      "in",         "let",     "if",
                                                           "else", "matches", "contains", "startsWith", "endsWith"};

// Longest first, so that "**" is not read as "*" twice.
constexpr std::array<std::string_view, 35> symbols = {
    "**", "&&", "||", "==", "!=", "<=", ">=", "??", "?.", "..", "::", "+", "-", "*", "/", "%", "^", "<",
    ">",  "!",  "?",  ":",  ",",  ";",  "|",  "#",  "(",  ")",  "[",  "]", "{", "}", "=", ".", "&"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// A byte beyond ASCII is part of a letter: trigger names may be any UTF-8.
bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

std::size_t skip_line_comment(std::string_view text) { return std::min(text.find('\n'), text.size()); }

// Removes separators: 1_000 → 1000.
std::string digits_of(std::string_view text) {
    std::string out(text);
    out.erase(std::remove(out.begin(), out.end(), '_'), out.end());
    return out;
}

int base_of(std::string_view number) {
    if (number.size() < 2 || number[0] != '0') return 10;
    switch (number[1] | 0x20) {
        case 'x':
            return 16;
        case 'o':
            return 8;
        case 'b':
            return 2;
        default:
            return 10;
    }
}

// Returns the number of bytes of a number: digits of any base, a point (but not the range operator ..), an exponent with its
// sign.
std::size_t number_size(std::string_view text) {
    const bool decimal = base_of(text) == 10;
    std::size_t at = 0;
    while (at < text.size()) {
        const bool sign = (text[at] == '+' || text[at] == '-') && at > 0 && decimal && (text[at - 1] | 0x20) == 'e';
        const bool point = text[at] == '.' && text.substr(at, 2) != "..";
        if (!sign && !point && !is_word(text[at])) break;
        ++at;
    }
    return at;
}

class lexer {
  public:
    explicit lexer(std::string_view text) : text_(text) {}

    result<std::vector<token>> run() {
        while (skip_blanks() && !failure_) read_one();
        if (failure_) return *failure_;
        out_.push_back({.kind = token_kind::end, .text = "", .column = column()});
        return std::move(out_);
    }

  private:
    std::int32_t column() const { return static_cast<std::int32_t>(at_) + 1; }
    std::string_view rest() const { return text_.substr(at_); }
    void fail(const std::string& expected) { failure_ = formula_error_at(column(), expected); }

    // Returns false at the end of the text.
    bool skip_blanks() {
        while (at_ < text_.size()) {
            if (is_blank(text_[at_])) {
                ++at_;
            } else if (rest().starts_with("//")) {
                at_ += skip_line_comment(rest());
            } else if (rest().starts_with("/*")) {
                if (!skip_block_comment()) return false;
            } else {
                return true;
            }
        }
        return false;
    }

    bool skip_block_comment() {
        const std::size_t close = text_.find("*/", at_ + 2);
        if (close == std::string_view::npos) fail("this comment is not closed; expected */");
        if (close != std::string_view::npos) at_ = close + 2;
        return close != std::string_view::npos;
    }

    void read_one() {
        const char first = text_[at_];
        const bool leading_point = first == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
        if (is_digit(first) || leading_point) return read_number();
        if (is_word(first)) return read_word();
        read_symbol();
    }

    void read_number() {
        const std::string_view word = rest().substr(0, number_size(rest()));
        const std::string digits = digits_of(word);
        const int base = base_of(digits);
        token out{.kind = token_kind::integer, .text = word, .column = column()};
        const bool whole = base != 10 || digits.find_first_of(".eE") == std::string::npos;
        const bool good = whole ? read_integer(digits, base, out) : read_float(digits, out);
        if (!good) return fail(format_text("expected a number, got {}; write 5, 1.5, 1e3 or 0xff", in_quotes(word)));
        out_.push_back(out);
        at_ += word.size();
    }

    static bool read_integer(std::string_view digits, int base, token& out) {
        if (base != 10) digits.remove_prefix(2);
        const char* end = digits.data() + digits.size();
        const auto [stop, code] = std::from_chars(digits.data(), end, out.integer, base);
        return code == std::errc() && stop == end;
    }

    static bool read_float(const std::string& digits, token& out) {
        const std::optional<double> number = parse_go_float(digits);
        out.kind = token_kind::floating;
        out.number = number.value_or(0.0);
        return number.has_value();
    }

    void read_word() {
        const std::size_t size = static_cast<std::size_t>(std::ranges::find_if_not(rest(), is_word) - rest().begin());
        const std::string_view word = rest().substr(0, size);
        const bool symbol = std::ranges::find(symbol_words, word) != symbol_words.end();
        out_.push_back({.kind = symbol ? token_kind::symbol : token_kind::name, .text = word, .column = column()});
        at_ += size;
    }

    void read_symbol() {
        for (const std::string_view symbol : symbols) {
            if (!rest().starts_with(symbol)) continue;
            out_.push_back({.kind = token_kind::symbol, .text = symbol, .column = column()});
            at_ += symbol.size();
            return;
        }
        const char c = text_[at_];
        if (c == '"' || c == '\'' || c == '`')
            return fail("texts are not part of a scaling formula; expected a number or a trigger name");
        fail("unexpected character " + in_quotes(rest().substr(0, 1)));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<token> out_;
    std::optional<error> failure_;
};

}  // namespace

result<std::vector<token>> formula_tokens(std::string_view text) { return lexer(text).run(); }

bool ends_in_line_comment(std::string_view text) {
    for (std::size_t at = text.find('/'); at < text.size(); at = text.find('/', at + 1)) {
        const std::string_view sign = text.substr(at, 2);
        const std::size_t end = sign == "//" ? text.find('\n', at) : sign == "/*" ? text.find("*/", at + 2) : at;
        if (end == std::string_view::npos) return sign == "//";
        at = sign == "/*" ? end + 1 : end;
    }
    return false;
}

error formula_error_at(std::int32_t column, const std::string& expected) {
    const std::string where = column > 0 ? format_text("formula column {}", column) : "end of the formula";
    return fail(status::invalid, "{}: {}", where, expected).at("scalingModifiers.formula");
}

void token_cursor::next() {
    if (at_ + 1 < tokens_.size()) ++at_;
}

void token_cursor::take(std::string_view symbol) {
    if (!is(symbol)) return unexpected(in_quotes(symbol));
    next();
}

void token_cursor::close(const token& opening) {
    const bool around = opening.column == 0 && now().kind != token_kind::end;
    if (around && !is(")")) return unexpected("an operator or the end of the formula");
    take(")");
}

void token_cursor::fail(const token& where, const std::string& expected) {
    if (!failure_) failure_ = formula_error_at(where.column, expected);
}

void token_cursor::unexpected(const std::string& wanted) {
    const token& at = now();
    if (is_foreign(at))
        return fail(at, format_text("{} is not part of a scaling formula; expected {}", in_quotes(at.text), wanted));
    const bool end = at.kind == token_kind::end || at.column == 0;
    fail(at, format_text("expected {}, got {}", wanted, end ? std::string("the end") : in_quotes(at.text)));
}

}  // namespace gputide::decide
