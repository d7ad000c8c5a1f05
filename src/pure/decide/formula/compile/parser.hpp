// A formula from its text to a tree of nodes: tokens, each with its column; operators; nodes in one vector.  Tokens and nodes borrow
// the text; the compiler takes the tree, and nothing of it is kept.  Pure.
#pragma once

#include "base/result.hpp"
#include "decide/formula/functions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::decide {

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
    std::int32_t column = 0;  // from 1; 0: added around the user's text
    std::int64_t integer = 0;
    double number = 0.0;
};

// Splits a formula into tokens; the last one is `end`.  // and /* */ comments are skipped.
result<std::vector<token>> formula_tokens(std::string_view text);

// Returns whether the text ends within a // comment.
bool ends_in_line_comment(std::string_view text);

// "formula column 7: <what>"; column 0 is the end of the formula.
error formula_error_at(std::int32_t column, const std::string& expected);

// The position in a formula's tokens, and the first error.  After an error it is at the end, so that every loop over it ends.
class token_cursor {
  public:
    explicit token_cursor(const std::vector<token>& tokens) : tokens_(tokens) {}

    const token& now() const { return failure_ ? tokens_.back() : tokens_[at_]; }
    bool is(std::string_view symbol) const { return now().kind == token_kind::symbol && now().text == symbol; }

    void next();
    // The symbol, or what is there instead is unexpected.
    void take(std::string_view symbol);
    // The bracket opened at `opening`.  One that stands around the user's text closes where the text ends.
    void close(const token& opening);

    void fail(const token& where, const std::string& expected);
    void unexpected(const std::string& wanted);  // the token that it stands at
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
    std::string_view means = {};  // the spelling that the tree keeps, where it is another
};

const binary_operator* find_binary(const token& token);  // nullptr: not a binary operator

// Returns the precedence; 0: not a unary operator.  "-a ^ 2" is -(a ^ 2); "not a > b" is (not a) > b.
std::int32_t unary_precedence(const token& token);

// Tells whether the token is a word or sign of expr that no scaling formula needs.
bool is_foreign(const token& token);

// ---- the tree

enum class node_kind : std::int32_t {
    integer,
    floating,
    boolean,  // integer: 0 or 1
    nil,
    name,         // a trigger or a local
    unary,        // text: - + !
    binary,       // text: an operator; && || and ?? look at their right side only when they need it
    conditional,  // condition, then, else
    array,
    index,    // array, position
    call,     // `function`; the predicate is a child like the others
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
    std::int32_t depth = 1;  // of the tree below, itself included
};

struct formula_tree {
    std::vector<node> nodes;
    std::int32_t root = 0;
};

inline constexpr std::int32_t formula_depth = 512;   // of the tree; 256 triggers in a sum are 256 deep
inline constexpr std::int32_t formula_nesting = 64;  // brackets, calls and conditions within each other

// Reads all tokens.  Precedence and associativity are those of expr-lang/expr v1.17 parser/operator.
result<formula_tree> parse_formula(const std::vector<token>& tokens);

}  // namespace gputide::decide
