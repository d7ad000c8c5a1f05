// Finds metric selectors in PromQL with a scanner, not a parser: names, strings, braces and what follows a name suffice.
#include "formats/query_api/selectors.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace gputide::formats::query_api {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
bool in_name(char c) { return starts_name(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// prometheus/prometheus promql/parser/lex.go, in lower case; PromQL's keywords have no letter case.
constexpr std::array keywords = {"and", "or", "unless", "atan2", "offset", "bool", "start", "end", "inf", "nan"};
constexpr std::array before_labels = {"by", "without", "on", "ignoring", "group_left", "group_right"};
constexpr std::array aggregators = {"sum",    "avg",      "count",        "min",     "max",  "group",  "stddev",
                                    "stdvar", "quantile", "count_values", "bottomk", "topk", "limitk", "limit_ratio"};

template <class List>
bool holds(const List& list, std::string_view word) {
    return std::any_of(list.begin(), list.end(), [word](std::string_view one) { return one == word; });
}

std::string lower_word(std::string_view word) {
    std::string out(word);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    return out;
}

class scanner {
  public:
    explicit scanner(std::string_view query) : query_(query) {}

    std::vector<std::string> selectors() {
        while (at_ < query_.size()) step();
        return std::move(found_);
    }

  private:
    char here() const { return at_ < query_.size() ? query_[at_] : '\0'; }

    void step() {
        const char c = here();
        if (c == '"' || c == '\'' || c == '`') {
            skip_string();
        } else if (c == '#') {
            while (at_ < query_.size() && here() != '\n') ++at_;
        } else if (c == '{') {
            const std::size_t start = at_;
            skip_bracket('{', '}');
            add(query_.substr(start, at_ - start));
        } else if (c == '[') {
            skip_bracket('[', ']');
        } else if (is_digit(c)) {
            while (in_name(here()) || here() == '.') ++at_;  // 5m, 1e3, 0x1f
        } else if (starts_name(c)) {
            read_name();
        } else {
            ++at_;
        }
    }

    void read_name() {
        const std::size_t start = at_;
        while (in_name(here())) ++at_;
        const std::string_view name = query_.substr(start, at_ - start);
        const std::string word = lower_word(name);
        const std::size_t end = at_;
        skip_blanks();
        if (holds(before_labels, word)) {
            if (here() == '(') skip_bracket('(', ')');
        } else if (here() == '(' || holds(keywords, word) || (holds(aggregators, word) && starts_name(here()))) {
            return;  // a function, an operator, or sum by (pod) (...)
        } else if (here() == '{') {
            skip_bracket('{', '}');
            add(query_.substr(start, at_ - start));
        } else {
            add(query_.substr(start, end - start));
        }
    }

    void skip_blanks() {
        while (is_blank(here())) ++at_;
    }

    void skip_string() {
        const char quote = here();
        ++at_;
        while (at_ < query_.size() && here() != quote) at_ += here() == '\\' && quote != '`' ? 2U : 1U;
        ++at_;
    }

    // From the opening bracket to behind its partner, strings apart.
    void skip_bracket(char open, char close) {
        int depth = 0;
        while (at_ < query_.size()) {
            const char c = here();
            if (c == '"' || c == '\'' || c == '`') {
                skip_string();
                continue;
            }
            ++at_;
            if (c == open) ++depth;
            if (c == close && --depth == 0) return;
        }
    }

    void add(std::string_view selector) {
        if (std::find(found_.begin(), found_.end(), selector) == found_.end()) found_.emplace_back(selector);
    }

    std::string_view query_;
    std::size_t at_ = 0;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> selectors_of(std::string_view query) { return scanner(query).selectors(); }

std::string age_query_of(std::string_view query) {
    const std::vector<std::string> selectors = selectors_of(query);
    if (selectors.empty()) return {};
    if (selectors.size() == 1) return format_text("min(timestamp({}))", selectors.front());
    // `or` drops what has the same labels on its left, so each minimum gets a label of its own.
    std::string out = "min(";
    for (std::size_t i = 0; i < selectors.size(); ++i) {
        if (i != 0) out += " or ";
        out += format_text("label_replace(min(timestamp({})), \"part\", \"{}\", \"\", \"\")", selectors[i], i);
    }
    return out + ")";
}

}  // namespace gputide::formats::query_api
