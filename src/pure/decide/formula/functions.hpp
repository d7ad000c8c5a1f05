// The functions of formulas: names, argument counts and kinds.
// Names and meaning: expr-lang/expr v1.17 docs/language-definition.md, builtin/builtin.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gputide::decide {

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

}  // namespace gputide::decide
