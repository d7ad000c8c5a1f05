// A formula as a tree of nodes in one vector.  Goes from the parser to the compiler; nothing of it is kept.
#pragma once

#include "base/result.hpp"
#include "decide/formula/compile/token.hpp"
#include "decide/formula/functions.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gputide::decide {

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
