// Parses expressions by precedence climbing.  Precedence from low to high: or; and, unless; comparisons; + -; * / % atan2; ^.
#include "base/text.hpp"
#include "formats/promql/promql.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace gputide::formats::promql {
namespace {

constexpr int max_depth = 64;
constexpr std::size_t max_operators =
    400;  // a chain of this length is a tree of this depth, which callers traverse recursively
constexpr int power_level = 6;

// Returns the precedence; 0: not a binary operator.
int level_of(const token& token) {
    const std::string word = lower(token.text);
    if (word == "or") return 1;
    if (word == "and" || word == "unless") return 2;
    if (word == "==" || word == "!=" || word == "<" || word == ">" || word == "<=" || word == ">=") return 3;
    if (word == "+" || word == "-") return 4;
    if (word == "*" || word == "/" || word == "%" || word == "atan2") return 5;
    return word == "^" ? power_level : 0;
}

// Removes the quotes and keeps escapes as written: the value is compared and printed, never sent.
std::string inner_text(std::string_view quoted) { return std::string(quoted.substr(1, quoted.size() - 2)); }

using parsed = std::optional<expression>;

class expression_parser {
  public:
    explicit expression_parser(std::string_view query) : tokens_(tokens_of(query)) {}

    parsed whole() {
        parsed out = binary(1);
        if (at_ != tokens_.size()) return std::nullopt;
        return out;
    }

  private:
    bool is(std::string_view text) const { return at_ < tokens_.size() && tokens_[at_].text == text; }
    bool is_kind(token_kind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }
    std::string word() const { return is_kind(token_kind::name) ? lower(tokens_[at_].text) : std::string(); }
    bool take(std::string_view text) {
        const bool found = is(text);
        if (found) ++at_;
        return found;
    }

    parsed binary(int weakest) {
        if (++depth_ > max_depth) return std::nullopt;
        parsed left = operand();
        while (left && at_ < tokens_.size()) {
            const int level = level_of(tokens_[at_]);
            if (level < weakest || level == 0) break;
            if (++operators_ > max_operators) return std::nullopt;
            expression joined{.kind = expression_kind::binary, .name = lower(tokens_[at_].text)};
            ++at_;
            if (!take_modifiers(joined)) return std::nullopt;
            parsed right = binary(level == power_level ? level : level + 1);
            if (!right) return std::nullopt;
            joined.parts.push_back(*std::move(left));
            joined.parts.push_back(*std::move(right));
            left = std::move(joined);
        }
        --depth_;
        return left;
    }

    // Parses bool, on (...), ignoring (...), group_left (...).
    bool take_modifiers(expression& joined) {
        while (true) {
            const std::string next = word();
            if (next == "bool") {
                joined.has_bool = true;
                ++at_;
            } else if (next == "on" || next == "ignoring" || next == "group_left" || next == "group_right") {
                ++at_;
                if (!skip_labels()) return false;
            } else {
                return true;
            }
        }
    }

    // Parses an optional list of labels in parentheses.
    bool skip_labels() {
        if (!take("(")) return true;
        while (is_kind(token_kind::name) || is_kind(token_kind::text) || is(",")) ++at_;
        return take(")");
    }

    parsed operand() {
        if (take("+")) return binary(power_level);
        if (take("-")) {
            parsed inner = binary(power_level);
            if (!inner) return std::nullopt;
            expression out{.kind = expression_kind::binary, .name = "*"};
            out.parts.push_back({.kind = expression_kind::number, .number = -1.0});
            out.parts.push_back(*std::move(inner));
            return out;
        }
        parsed out = primary();
        const std::size_t first = at_;
        if (!out || !skip_range_and_time()) return std::nullopt;
        for (std::size_t at = first; at < at_; ++at) out->range += tokens_[at].text;
        return out;
    }

    parsed primary() {
        if (take("(")) {
            parsed inner = binary(1);
            return inner && take(")") ? std::move(inner) : std::nullopt;
        }
        if (is_kind(token_kind::text))
            return expression{.kind = expression_kind::text, .name = inner_text(tokens_[at_++].text)};
        if (is_kind(token_kind::number)) return number();
        if (is("{")) return selector("");
        if (is_kind(token_kind::name)) return named();
        return std::nullopt;
    }

    parsed number() {
        const std::string text(tokens_[at_++].text);
        std::optional<double> value = parse_go_float(text);
        const bool is_hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
        if (!value && is_hexadecimal) value = parse_go_float(text + "p0");  // Go's ParseFloat wants an exponent
        if (!value) return std::nullopt;  // durations are allowed only in brackets and after offset
        return expression{.kind = expression_kind::number, .number = *value};
    }

    parsed named() {
        const std::string written(tokens_[at_].text);
        const std::string name = word();
        ++at_;
        if (is_aggregation(name) && (is("(") || word() == "by" || word() == "without")) return aggregation(name);
        if (is("(")) return arguments({.kind = expression_kind::call, .name = name});
        constexpr double inf = std::numeric_limits<double>::infinity();
        if (name == "inf") return expression{.kind = expression_kind::number, .number = inf};
        if (name == "nan") return expression{.kind = expression_kind::number, .number = std::nan("")};
        if (is_keyword(name) || takes_labels(name)) return std::nullopt;
        return selector(written);
    }

    bool take_grouping(expression& out) {
        if (word() != "by" && word() != "without") return true;
        out.is_without = word() == "without";
        ++at_;
        out.is_grouped = true;
        const std::size_t first = at_;
        if (!skip_labels()) return false;
        for (std::size_t at = first; at < at_; ++at) {
            if (tokens_[at].kind == token_kind::name) out.grouping.emplace_back(tokens_[at].text);
            if (tokens_[at].kind == token_kind::text) out.grouping.push_back(inner_text(tokens_[at].text));
        }
        return true;
    }

    parsed aggregation(const std::string& name) {
        expression out{.kind = expression_kind::aggregation, .name = name};
        if (!take_grouping(out)) return std::nullopt;
        parsed filled = arguments(std::move(out));
        if (!filled || !take_grouping(*filled)) return std::nullopt;
        return filled;
    }

    parsed arguments(expression out) {
        if (!take("(")) return std::nullopt;
        while (!is(")")) {
            parsed argument = binary(1);
            if (!argument) return std::nullopt;
            out.parts.push_back(*std::move(argument));
            if (!take(",")) break;
        }
        return take(")") ? parsed(std::move(out)) : std::nullopt;
    }

    parsed selector(const std::string& metric) {
        expression out{.kind = expression_kind::selector, .name = metric};
        if (!take("{")) return out;
        while (!is("}")) {
            if (!take_matcher(out)) return std::nullopt;
            if (!take(",")) break;
        }
        return take("}") ? parsed(std::move(out)) : std::nullopt;
    }

    // Parses label="value", or a "metric" without a value (Prometheus 3).
    bool take_matcher(expression& out) {
        const bool is_quoted = is_kind(token_kind::text);
        if (!is_quoted && !is_kind(token_kind::name)) return false;
        const std::string label = is_quoted ? inner_text(tokens_[at_].text) : std::string(tokens_[at_].text);
        ++at_;
        if (is_quoted && (is(",") || is("}"))) {
            out.name = label;
            return true;
        }
        if (!is("=") && !is("!=") && !is("=~") && !is("!~")) return false;
        const std::string sign(tokens_[at_++].text);
        if (!is_kind(token_kind::text)) return false;
        const std::string value = inner_text(tokens_[at_++].text);
        if (label == "__name__" && sign == "=") {
            out.name = value;
        } else {
            out.matchers.push_back({label, sign, value});
        }
        return true;
    }

    // Parses [5m], [1h:5m], offset 5m, @ end().
    bool skip_range_and_time() {
        while (true) {
            if (take("[")) {
                while (at_ < tokens_.size() && !is("]")) ++at_;
                if (!take("]")) return false;
            } else if (word() == "offset") {
                ++at_;
                take("-");
                if (!is_kind(token_kind::number)) return false;
                ++at_;
            } else if (take("@")) {
                take("-");
                if (is_kind(token_kind::number)) {
                    ++at_;
                } else if (word() == "start" || word() == "end") {
                    ++at_;
                    if (!take("(") || !take(")")) return false;
                } else {
                    return false;
                }
            } else {
                return true;
            }
        }
    }

    std::vector<token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::size_t operators_ = 0;
};

}  // namespace

std::optional<expression> parse(std::string_view query) { return expression_parser(query).whole(); }

}  // namespace gputide::formats::promql
