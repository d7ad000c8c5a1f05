// The operators of a formula: how tightly they bind and in which direction.
// Source: expr-lang/expr v1.17 parser/operator/operator.go.
#pragma once

#include "decide/formula/compile/token.hpp"

#include <cstdint>
#include <string_view>

namespace gputide::decide {

inline constexpr std::int32_t comparison_precedence = 20;

struct binary_operator {
    std::string_view text;
    std::int32_t precedence;
    bool right = false;           // associates to the right
    std::string_view means = {};  // the spelling that the tree keeps, where it is another
};

const binary_operator* find_binary(const token& token);  // nullptr: not a binary operator

// 0: not a unary operator.  "-a ^ 2" is -(a ^ 2); "not a > b" is (not a) > b.
std::int32_t unary_precedence(const token& token);

// Words and signs of expr that no scaling formula needs.
bool is_foreign(const token& token);

}  // namespace gputide::decide
