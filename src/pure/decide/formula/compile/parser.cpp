// Tokens to a tree, by precedence climbing.  Precedence, associativity and the rules for ??, |, # and let are those of
// expr-lang/expr v1.17 parser/parser.go and parser/operator/operator.go.
#include "decide/formula/compile/parser.hpp"

#include "base/format_text.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace gputide::decide {

namespace {

// Returns the end of the message "unknown function".
std::string suggestion(std::string_view name) {
    const std::string_view near = nearest(name, function_names());
    if (!near.empty()) return format_text("; did you mean {}?", in_quotes(near));
    std::string out = "; known are";
    for (const std::string_view text : function_names()) out += " " + std::string(text);
    return out;
}

// Returns the accepted argument counts: "2", "at least 1", "1 to 2".
std::string argument_counts(const function_info& info) {
    const std::string min = std::to_string(info.min);
    if (info.max == many) return "at least " + min;
    return info.max == info.min ? min : format_text("{} to {}", min, info.max);
}

std::string foreign_function_text(std::string_view name) {
    return format_text("{} is a function of expr that gputide's formulas do not support; {}", in_quotes(name),
                       *foreign_function(name));
}

bool orders(const binary_operator& rule) {
    return rule.precedence == comparison_precedence && rule.text != "==" && rule.text != "!=";
}

// A recursive-descent parser over the tokens.
class parser : token_cursor {
  public:
    explicit parser(const std::vector<token>& tokens) : token_cursor(tokens) {}

    result<formula_tree> run() {
        tree_.root = expression(0);
        if (now().kind != token_kind::end) unexpected("an operator or the end of the formula");
        if (failure()) return *failure();
        return std::move(tree_);
    }

  private:
    using index = std::int32_t;

    index add(node&& node) {
        for (const index child : node.children) node.depth = std::max(node.depth, node_at(child).depth + 1);
        if (node.depth > formula_depth)
            fail(now(), format_text("the formula is more than {} operations deep; split it with let", formula_depth));
        tree_.nodes.push_back(std::move(node));
        return static_cast<index>(tree_.nodes.size()) - 1;
    }

    const node& node_at(index at) const { return tree_.nodes[static_cast<std::size_t>(at)]; }

    index binary(const token& token, std::string_view text, index left, index right) {
        return add({.kind = node_kind::binary, .column = token.column, .text = text, .children = {left, right}});
    }

    // All nested expressions are parsed here, so this function limits their depth.
    index expression(std::int32_t min_precedence) {
        if (++nesting_ > formula_nesting) fail(now(), format_text("brackets nest more than {} deep", formula_nesting));
        index out = 0;
        if (failure()) {
            out = add({});
        } else if (min_precedence == 0 && is("let")) {
            out = let();
        } else {
            out = operations(min_precedence);
        }
        --nesting_;
        return out;
    }

    index operations(std::int32_t min_precedence) {
        index left = primary();
        bool coalesced = false;  // the previous operator was ??
        const binary_operator* rule = find_binary(now());
        while (rule != nullptr && rule->precedence >= min_precedence && !failure()) {
            const token at = now();
            next();
            if (coalesced && rule->text != "??" && rule->text != "|")
                fail(at, in_quotes(at.text) + " and ?? cannot be mixed; put one of them into brackets");
            left = operation(*rule, at, left);
            coalesced = rule->text == "??";
            rule = find_binary(now());
        }
        return min_precedence == 0 ? conditional(left) : left;
    }

    index operation(const binary_operator& rule, const token& token, index left) {
        if (rule.text == "|") return pipe(left);
        if (orders(rule)) return comparison(token, left);
        const index right = expression(rule.right ? rule.precedence : rule.precedence + 1);
        return binary(token, rule.means.empty() ? rule.text : rule.means, left, right);
    }

    // Parses a chain: 1 < a < 3 is 1 < a && a < 3. == and != have the same precedence, but form no chain: a < b == true is (a
    // < b) == true.
    index comparison(token token, index left) {
        std::optional<index> whole;
        while (true) {
            const index right = expression(comparison_precedence + 1);
            const index pair = binary(token, token.text, left, right);
            whole = whole ? binary(token, "&&", *whole, pair) : pair;
            const binary_operator* rule = find_binary(now());
            if (rule == nullptr || !orders(*rule) || failure()) return *whole;
            left = right;
            token = now();
            next();
        }
    }

    // Parses a pipe: [a, b] | max() is max([a, b]).
    index pipe(index left) {
        const token name = now();
        if (name.kind != token_kind::name) {
            unexpected("a function after |");
            return left;
        }
        next();
        return call(name, {left});
    }

    // Parses a condition; `a ?: b` is a ? a : b.
    index conditional(index condition) {
        while (is("?") && !failure()) {
            const token at = now();
            next();
            const index then = is(":") ? condition : expression(0);
            take(":");
            const index otherwise = expression(0);
            condition =
                add({.kind = node_kind::conditional, .column = at.column, .children = {condition, then, otherwise}});
        }
        return condition;
    }

    index let() {
        next();
        const token name = now();
        if (name.kind != token_kind::name) unexpected("a name after let");
        next();
        take("=");
        const index value = expression(0);
        take(";");
        const index body = expression(0);
        return add({.kind = node_kind::let, .column = name.column, .text = name.text, .children = {value, body}});
    }

    index primary() {
        const token at = now();
        if (const std::int32_t precedence = unary_precedence(at); precedence > 0) {
            next();
            const index operand = expression(precedence);
            return postfix(add({.kind = node_kind::unary,
                                .column = at.column,
                                .text = at.text == "not" ? "!" : at.text,
                                .children = {operand}}));
        }
        switch (at.kind) {
            case token_kind::integer:
                next();
                return add({.kind = node_kind::integer, .column = at.column, .integer = at.integer});
            case token_kind::floating:
                next();
                return add({.kind = node_kind::floating, .column = at.column, .number = at.number});
            case token_kind::name:
                next();
                return postfix(named(at));
            default:
                return postfix(bracketed(at));
        }
    }

    index named(const token& token) {
        if (is("(")) return call(token, {});
        if (token.text == "nil") return add({.kind = node_kind::nil, .column = token.column});
        if (token.text == "true" || token.text == "false")
            return add({.kind = node_kind::boolean, .column = token.column, .integer = token.text == "true"});
        return add({.kind = node_kind::name, .column = token.column, .text = token.text});
    }

    index bracketed(const token& token) {
        if (is("(")) {
            next();
            const index inside = expression(0);
            close(token);
            return inside;
        }
        if (is("[")) return array(token);
        if (is("#")) return pointer(token);
        unexpected("a number, a trigger name or (");
        return add({});
    }

    index array(const token& token) {
        node out{.kind = node_kind::array, .column = token.column};
        next();
        list(out.children, "]");
        return add(std::move(out));
    }

    // Parses a, b, c up to the closing bracket; a trailing comma is allowed.
    void list(std::vector<index>& out, std::string_view close) {
        while (!is(close) && !failure()) {
            out.push_back(expression(0));
            separate(close);
        }
        take(close);
    }

    void separate(std::string_view close) {
        if (is(",")) return next();
        if (!is(close)) unexpected(format_text("{} or {}", in_quotes(","), in_quotes(close)));
    }

    index pointer(const token& token) {
        if (predicates_ == 0)
            fail(token, "# stands for an element and needs a predicate around it, as in count([a, b], {# > 1})");
        next();
        node out{.kind = node_kind::pointer, .column = token.column};
        const bool adjacent = now().kind == token_kind::name && now().column == token.column + 1;
        if (adjacent) out.text = now().text;
        if (adjacent) next();
        return add(std::move(out));
    }

    index postfix(index array) {
        while (is("[") && !failure()) {
            const token at = now();
            next();
            const index position = expression(0);
            take("]");
            array = add({.kind = node_kind::index, .column = at.column, .children = {array, position}});
        }
        return array;
    }

    index call(const token& name, std::vector<index> arguments) {
        const function_info* info = find_function(name.text);
        if (info == nullptr) {
            fail(name, foreign_function(name.text)
                           ? foreign_function_text(name.text)
                           : format_text("unknown function {}{}", in_quotes(name.text), suggestion(name.text)));
            return add({});
        }
        take("(");
        if (name.column == 0) {  // the float( added around the user's text
            arguments.push_back(expression(0));
            close(name);
        } else {
            read_arguments(*info, arguments);
        }
        const auto count = static_cast<std::int32_t>(arguments.size());
        if (count < info->min || count > info->max) {
            fail(name,
                 format_text("{} takes {} arguments, got {}", in_quotes(info->name), argument_counts(*info), count));
        }
        return add({.kind = node_kind::call,
                    .column = name.column,
                    .text = info->name,
                    .function = info->id,
                    .children = std::move(arguments)});
    }

    void read_arguments(const function_info& info, std::vector<index>& out) {
        while (!is(")") && !failure()) {
            out.push_back(info.predicate && out.size() == 1 ? predicate() : expression(0));
            const bool has_comma = is(",");
            separate(")");
            if (info.predicate && has_comma && is(")")) unexpected("another argument");
        }
        take(")");
    }

    index predicate() {
        const bool braces = is("{");
        if (braces) next();
        ++predicates_;
        const index out = expression(0);
        --predicates_;
        if (braces) take("}");
        return out;
    }

    std::int32_t nesting_ = 0;
    std::int32_t predicates_ = 0;
    formula_tree tree_;
};

}  // namespace

result<formula_tree> parse_formula(const std::vector<token>& tokens) { return parser(tokens).run(); }

namespace {

constexpr std::array<binary_operator, 19> binaries = {{
    {"|", 0},
    {"or", 10, false, "||"},
    {"||", 10},
    {"and", 15, false, "&&"},
    {"&&", 15},
    {"==", comparison_precedence},
    {"!=", comparison_precedence},
    {"<", comparison_precedence},
    {">", comparison_precedence},
    {">=", comparison_precedence},
    {"<=", comparison_precedence},
    {"+", 30},
    {"-", 30},
    {"*", 60},
    {"/", 60},
    {"%", 60},
    {"**", 100, true},
    {"^", 100, true, "**"},
    {"??", 500},
}};

constexpr std::array<std::string_view, 9> not_ours = {"in", "matches", "contains", "startsWith", "endsWith",
                                                      "..", "if",      "::",       "?."};

}  // namespace

const binary_operator* find_binary(const token& token) {
    if (token.kind != token_kind::symbol) return nullptr;
    const auto* found = std::ranges::find_if(binaries, [&](const auto& entry) { return entry.text == token.text; });
    return found == binaries.end() ? nullptr : found;
}

std::int32_t unary_precedence(const token& token) {
    if (token.kind != token_kind::symbol) return 0;
    if (token.text == "not" || token.text == "!") return 50;
    return token.text == "-" || token.text == "+" ? 90 : 0;
}

bool is_foreign(const token& token) { return std::ranges::find(not_ours, token.text) != not_ours.end(); }

}  // namespace gputide::decide
