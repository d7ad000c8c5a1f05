#include "base/format_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "nodes/dra/selector.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace gputide::nodes {
namespace {

constexpr int max_selector_depth = 64;

bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

}  // namespace

// Recursive descent over CEL's grammar.  After a failure every function returns at once.
class selector_parser {
  public:
    explicit selector_parser(std::string_view text) : text_(text) {}

    result<device_selector> run() {
        // kubernetes/kubernetes pkg/apis/resource/types.go CELSelectorExpressionMaxLength; it bounds the depth of the tree, too.
        constexpr std::size_t max_selector_bytes = 10 * 1024;
        if (text_.size() > max_selector_bytes)
            return fail(status::invalid, "a selector of more than {} bytes", max_selector_bytes);
        const std::uint32_t whole = either();
        skip();
        if (at_ < text_.size()) refuse();
        if (!is_refused_ && is_map(whole)) refuse();
        if (!is_refused_) return std::move(out_);
        return fail(status::invalid,
                    "the selector {} is not supported at character {}: a node plan evaluates only a subset of CEL",
                    in_quotes(text_), refused_at_ + 1);
    }

  private:
    using op = device_selector::op;
    using node = device_selector::node;

    // ---- Tokens.

    void skip() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }

    bool take(std::string_view token) {
        skip();
        if (!text_.substr(at_).starts_with(token)) return false;
        const bool is_word = is_name_character(token.back());
        if (is_word && at_ + token.size() < text_.size() && is_name_character(text_[at_ + token.size()])) return false;
        at_ += token.size();
        return true;
    }

    void need(std::string_view token) {
        if (!is_refused_ && !take(token)) refuse();
    }

    std::uint32_t refuse() {
        if (!std::exchange(is_refused_, true)) refused_at_ = at_;
        return 0;
    }

    std::string name() {
        skip();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
        if (begin == at_) refuse();
        return std::string(text_.substr(begin, at_ - begin));
    }

    // "a", 'a', r"\d": escapes other than quotes and backslashes are beyond.
    std::optional<std::string> string_token() {
        skip();
        std::size_t at = at_;
        const bool is_raw =
            at + 1 < text_.size() && text_[at] == 'r' && (text_[at + 1] == '"' || text_[at + 1] == '\'');
        if (is_raw) ++at;
        if (at >= text_.size() || (text_[at] != '"' && text_[at] != '\'')) return std::nullopt;
        const char quote = text_[at++];
        std::string out;
        for (; at < text_.size() && text_[at] != quote; ++at) {
            if (text_[at] == '\\' && !is_raw) {
                ++at;
                if (at >= text_.size() || (text_[at] != '\\' && text_[at] != '"' && text_[at] != '\'')) break;
            }
            out += text_[at];
        }
        if (at >= text_.size() || text_[at] != quote) return std::nullopt;
        at_ = at + 1;
        return out;
    }

    std::string text_argument() {
        std::optional<std::string> out = string_token();
        if (!out) refuse();
        return std::move(out).value_or("");
    }

    // ---- Nodes.

    std::uint32_t add(op what, std::uint32_t left = 0, std::uint32_t right = 0) {
        node made;
        made.what = what;
        made.left = left;
        made.right = right;
        return add(std::move(made));
    }

    std::uint32_t add(node made) {
        if (is_refused_) return 0;
        out_.nodes_.push_back(std::move(made));
        return static_cast<std::uint32_t>(out_.nodes_.size() - 1);
    }

    std::uint32_t add_literal(selector_value value) {
        node made;
        made.value = std::move(value);
        return add(std::move(made));
    }

    bool is_map(std::uint32_t number) const {
        const op what = out_.nodes_[number].what;
        return what == op::properties || what == op::list;
    }

    // Maps and lists stand only at the right of `in`.
    std::uint32_t scalar(std::uint32_t number) {
        if (!is_refused_ && is_map(number)) refuse();
        return number;
    }

    // ---- Grammar.

    std::uint32_t either() {
        std::uint32_t left = both();
        while (!is_refused_ && take("||")) left = add(op::either, scalar(left), scalar(both()));
        return left;
    }

    std::uint32_t both() {
        std::uint32_t left = relation();
        while (!is_refused_ && take("&&")) left = add(op::both, scalar(left), scalar(relation()));
        return left;
    }

    std::uint32_t relation() {
        const std::uint32_t left = unary();
        static constexpr std::array<std::pair<std::string_view, op>, 6> relations{{{"==", op::equal},
                                                                                   {"!=", op::unequal},
                                                                                   {"<=", op::at_most},
                                                                                   {">=", op::at_least},
                                                                                   {"<", op::less},
                                                                                   {">", op::greater}}};
        for (const auto& [token, what] : relations) {
            if (!is_refused_ && take(token)) return add(what, scalar(left), scalar(unary()));
        }
        if (is_refused_ || !take("in")) return left;
        const std::uint32_t right = unary();
        if (!is_refused_ && !is_map(right)) return refuse();
        return add(op::in_list, scalar(left), right);
    }

    std::uint32_t unary() {
        if (++depth_ > max_selector_depth) return refuse();
        const std::uint32_t out = take("!") ? add(op::negation, scalar(unary())) : with_methods(primary());
        --depth_;
        return out;
    }

    std::uint32_t primary() {
        if (is_refused_) return 0;
        if (take("(")) {
            const std::uint32_t inner = either();
            need(")");
            return inner;
        }
        if (take("[")) return list();
        if (take("true")) return add_literal({selector_value::type::boolean, 1, {}});
        if (take("false")) return add_literal({selector_value::type::boolean, 0, {}});
        if (take("quantity")) return quantity_literal();
        if (take("semver")) return version_literal();
        if (take("has")) return presence();
        if (take("device")) return of_device();
        if (std::optional<std::string> text = string_token())
            return add_literal({selector_value::type::text, 0, *std::move(text)});
        return number_literal();
    }

    std::uint32_t list() {
        node made;
        made.what = op::list;
        while (!is_refused_ && !take("]")) {
            if (!made.elements.empty()) need(",");
            made.elements.push_back(scalar(unary()));
        }
        return add(std::move(made));
    }

    std::uint32_t number_literal() {
        skip();
        std::size_t end = at_ + (at_ < text_.size() && text_[at_] == '-' ? 1 : 0);
        while (end < text_.size() && is_digit(text_[end])) ++end;
        const std::optional<std::int64_t> value = parse_int64(text_.substr(at_, end - at_));
        const bool goes_on = end < text_.size() && (is_name_character(text_[end]) || text_[end] == '.');
        if (!value || goes_on) return refuse();
        at_ = end;
        return add_literal({selector_value::type::integer, *value, {}});
    }

    std::uint32_t quantity_literal() {
        need("(");
        const std::size_t begin = at_;
        const result<quantity> value = parse_quantity(text_argument());
        if (!value) {
            at_ = begin;
            return refuse();
        }
        need(")");
        return add_literal({selector_value::type::quantity, value->milli, {}});
    }

    std::uint32_t version_literal() {
        need("(");
        selector_value value{selector_value::type::version, 0, text_argument()};
        need(")");
        return add_literal(std::move(value));
    }

    // has(device.attributes["d"].name)
    std::uint32_t presence() {
        need("(");
        need("device");
        const std::uint32_t inner = is_refused_ ? 0 : of_device();
        need(")");
        if (is_refused_) return 0;
        node& asked = out_.nodes_[inner];
        if (asked.what != op::property) return refuse();
        asked.what = op::has_property;
        return inner;
    }

    std::uint32_t of_device() {
        need(".");
        if (take("driver")) return add(op::driver);
        node made;
        made.what = op::properties;
        made.of_capacity = !take("attributes");
        if (made.of_capacity && !take("capacity")) return refuse();
        if (!take("[")) return add(std::move(made));
        made.domain = text_argument();
        need("]");
        if (take("[")) {
            made.name = text_argument();
            need("]");
        } else if (take(".")) {
            made.name = name();
        } else {
            return add(std::move(made));
        }
        made.what = op::property;
        return add(std::move(made));
    }

    std::uint32_t with_methods(std::uint32_t number) {
        static constexpr std::array<std::pair<std::string_view, op>, 7> methods{{{"compareTo", op::compare},
                                                                                 {"isGreaterThan", op::is_greater},
                                                                                 {"isLessThan", op::is_less},
                                                                                 {"startsWith", op::starts},
                                                                                 {"endsWith", op::ends},
                                                                                 {"contains", op::contains},
                                                                                 {"matches", op::regex}}};
        while (!is_refused_ && take(".")) {
            scalar(number);
            if (take("lowerAscii")) {
                need("(");
                number = add(op::lower, number);
            } else {
                const auto at = std::ranges::find_if(methods, [&](const auto& method) { return take(method.first); });
                if (at == methods.end()) return refuse();
                need("(");
                number = at->second == op::regex ? regex(number) : add(at->second, number, scalar(either()));
            }
            need(")");
        }
        return number;
    }

    std::uint32_t regex(std::uint32_t number) {
        const std::size_t begin = at_;
        result<pattern> compiled = pattern::compile(text_argument(), pattern::dot::not_newline);
        if (!compiled) {
            at_ = begin;
            return refuse();
        }
        out_.patterns_.push_back(*std::move(compiled));
        return add(op::regex, number, static_cast<std::uint32_t>(out_.patterns_.size() - 1));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool is_refused_ = false;
    std::size_t refused_at_ = 0;
    device_selector out_;
};

result<device_selector> device_selector::parse(std::string_view text) { return selector_parser(text).run(); }

}  // namespace gputide::nodes
