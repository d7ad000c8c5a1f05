// Parses a formula: splits its text into tokens with their columns, and builds a tree of nodes in one vector.  Tokens and
// nodes borrow the text; the compiler consumes the tree.  Pure.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::decide {

// The functions of formulas: names, argument counts and kinds.
// Names and meaning: expr-lang/expr v1.17 docs/language-definition.md, builtin/builtin.go.

enum class function : std::uint8_t {
    abs,
    ceil,
    floor,
    round,
    to_int,
    to_float,
    min,
    max,
    mean,
    median,
    first,
    last,
    len,
    sort,  // of values
    all,
    any,
    none,
    one,
    filter,
    map,
    count,
    sum,
    reduce,  // with a predicate
};

struct function_info {
    std::string_view name;
    function id;
    std::int32_t min = 1;    // number of arguments, the predicate included
    std::int32_t max = 1;    // many: unlimited
    bool predicate = false;  // the second argument is a predicate
};

inline constexpr std::int32_t many = 1'000;

const function_info* find_function(std::string_view name);
const function_info& info_of(function id);
std::vector<std::string_view> function_names();

// Returns the replacement for a function that expr has and formulas here lack; nothing for any other name.
std::optional<std::string_view> foreign_function(std::string_view name);

enum class token_kind : std::int32_t {
    end,
    integer,   // 5, 1_000, 0xff, 0o17, 0b11
    floating,  // 1.5, .5, 1e3
    name,      // a trigger, a local or a function; also true, false, nil
    symbol,    // operators, brackets and the words and or not in let if else matches contains startsWith endsWith
};

struct token {
    token_kind kind = token_kind::end;
    std::string_view text;
    std::int32_t column = 0;  // from 1; 0: not part of the user's text
    std::int64_t integer = 0;
    double number = 0.0;
};

// Splits a formula into tokens; the last token is `end`. // and /* */ comments are skipped.
result<std::vector<token>> formula_tokens(std::string_view text);

// Tells whether the text ends within a // comment.
bool ends_in_line_comment(std::string_view text);

// Returns "formula column 7: <what>"; column 0 means the end of the formula.
error formula_error_at(std::int32_t column, const std::string& expected);

// The position in a formula's tokens, and the first error.  An error moves the position to the end, so that every loop ends.
class token_cursor {
  public:
    explicit token_cursor(const std::vector<token>& tokens) : tokens_(tokens) {}

    const token& now() const { return failure_ ? tokens_.back() : tokens_[at_]; }
    bool is(std::string_view symbol) const { return now().kind == token_kind::symbol && now().text == symbol; }

    void next();
    // Consumes `symbol`; reports an error for any other token.
    void take(std::string_view symbol);
    // Consumes the bracket that closes `opening`.  A bracket around the user's text closes at the end of the text.
    void close(const token& opening);

    void fail(const token& where, const std::string& expected);
    void unexpected(const std::string& wanted);  // reports the current token
    const std::optional<error>& failure() const { return failure_; }

  private:
    const std::vector<token>& tokens_;
    std::size_t at_ = 0;
    std::optional<error> failure_;
};

// ---- operators, with precedence and associativity: expr-lang/expr v1.17 parser/operator/operator.go

inline constexpr std::int32_t comparison_precedence = 20;

struct binary_operator {
    std::string_view text;
    std::int32_t precedence;
    bool right = false;           // associates to the right
    std::string_view means = {};  // the operator's spelling in the tree, if it differs
};

const binary_operator* find_binary(const token& token);  // nullptr: not a binary operator

// Returns the precedence; 0: not a unary operator.  "-a ^ 2" is -(a ^ 2); "not a > b" is (not a) > b.
std::int32_t unary_precedence(const token& token);

// Tells whether the token is a word or symbol of expr that scaling formulas do not support.
bool is_foreign(const token& token);

// ---- the tree

enum class node_kind : std::int32_t {
    integer,
    floating,
    boolean,  // integer: 0 or 1
    nil,
    name,         // a trigger or a local
    unary,        // text: - + !
    binary,       // text: an operator; && || and ?? evaluate their right side only if needed
    conditional,  // condition, then, else
    array,
    index,    // array, position
    call,     // `function`; the predicate is a child like the arguments
    pointer,  // text: "" (the element), "index", "acc"
    let,      // text: the name; value, body
};

struct node {
    node_kind kind = node_kind::nil;
    std::int32_t column = 0;
    std::string_view text;
    std::int64_t integer = 0;
    double number = 0.0;
    decide::function function = decide::function::abs;
    std::vector<std::int32_t> children;
    std::int32_t depth = 1;  // of the subtree, this node included
};

struct formula_tree {
    std::vector<node> nodes;
    std::int32_t root = 0;
};

inline constexpr std::int32_t formula_depth = 512;   // of the tree; a sum of 256 triggers is 256 deep
inline constexpr std::int32_t formula_nesting = 64;  // nested brackets, calls and conditions

// Parses all tokens.  Precedence and associativity are those of expr-lang/expr v1.17 parser/operator.
result<formula_tree> parse_formula(const std::vector<token>& tokens);

}  // namespace gputide::decide
