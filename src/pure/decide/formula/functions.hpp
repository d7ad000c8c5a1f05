// The functions that a formula may call: names, argument counts and kinds.
// Source of names and meaning: expr-lang/expr v1.17 docs/language-definition.md, builtin/builtin.go.
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
    std::int32_t min = 1;    // arguments, the predicate included
    std::int32_t max = 1;    // many: no limit of its own
    bool predicate = false;  // the second argument is one
};

inline constexpr std::int32_t many = 1'000;

const function_info* find_function(std::string_view name);
const function_info& info_of(function id);
std::vector<std::string_view> function_names();

// Returns what to write in place of a function that expr has and a formula here has not; nothing for every other name.
std::optional<std::string_view> foreign_function(std::string_view name);

}  // namespace gputide::decide
