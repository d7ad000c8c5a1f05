// The table behind operators.hpp.
#include "decide/formula/operators.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

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
    const auto* found =
        std::find_if(binaries.begin(), binaries.end(), [&](const auto& one) { return one.text == token.text; });
    return found == binaries.end() ? nullptr : found;
}

std::int32_t unary_precedence(const token& token) {
    if (token.kind != token_kind::symbol) return 0;
    if (token.text == "not" || token.text == "!") return 50;
    return token.text == "-" || token.text == "+" ? 90 : 0;
}

bool is_foreign(const token& token) {
    return std::find(not_ours.begin(), not_ours.end(), token.text) != not_ours.end();
}

}  // namespace gputide::decide
