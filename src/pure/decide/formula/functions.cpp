// The table behind functions.hpp, in the order of `function`.
#include "decide/formula/functions.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

namespace {

constexpr std::array<function_info, 23> table = {{
    {"abs", function::abs},
    {"ceil", function::ceil},
    {"floor", function::floor},
    {"round", function::round},
    {"int", function::to_int},
    {"float", function::to_float},
    {"min", function::min, 1, many},
    {"max", function::max, 1, many},
    {"mean", function::mean, 1, many},
    {"median", function::median, 1, many},
    {"first", function::first},
    {"last", function::last},
    {"len", function::len},
    {"sort", function::sort},
    {"all", function::all, 2, 2, true},
    {"any", function::any, 2, 2, true},
    {"none", function::none, 2, 2, true},
    {"one", function::one, 2, 2, true},
    {"filter", function::filter, 2, 2, true},
    {"map", function::map, 2, 2, true},
    {"count", function::count, 1, 2, true},
    {"sum", function::sum, 1, 2, true},
    {"reduce", function::reduce, 2, 3, true},
}};

struct foreign {
    std::string_view name, instead;
};

constexpr std::string_view numbers_alone = "write it with numbers and trigger names alone";
constexpr std::string_view by_operators = "write it with the operators + - * / % and comparisons";
constexpr std::string_view by_loops = "write it with filter, map, count, sum or reduce";

// expr-lang/expr v1.17 builtin/builtin.go.
constexpr std::array<foreign, 49> foreigns = {{
    {"get", "write a[0], or a ?? b for a value that may be missing"},
    {"take", by_loops},
    {"concat", "write all elements in one array: [a, b]"},
    {"flatten", "write all elements in one array: [a, b]"},
    {"uniq", by_loops},
    {"reverse", "sort(array) gives ascending numbers, and array[-1] the last"},
    {"sortBy", "sort(array) sorts numbers"},
    {"groupBy", by_loops},
    {"countBy", "write count(array, {condition})"},
    {"find", "write first(filter(array, {condition}))"},
    {"findIndex", by_loops},
    {"findLast", "write last(filter(array, {condition}))"},
    {"findLastIndex", by_loops},
    {"bitand", by_operators},
    {"bitor", by_operators},
    {"bitxor", by_operators},
    {"bitnand", by_operators},
    {"bitshl", by_operators},
    {"bitshr", by_operators},
    {"bitushr", by_operators},
    {"bitnot", by_operators},
    {"now", "a cron trigger knows the time: name it, and use its value"},
    {"date", "a cron trigger knows the time: name it, and use its value"},
    {"duration", "a cron trigger knows the time: name it, and use its value"},
    {"timezone", "a cron trigger knows the time: name it, and use its value"},
    {"string", numbers_alone},
    {"trim", numbers_alone},
    {"trimPrefix", numbers_alone},
    {"trimSuffix", numbers_alone},
    {"upper", numbers_alone},
    {"lower", numbers_alone},
    {"split", numbers_alone},
    {"splitAfter", numbers_alone},
    {"replace", numbers_alone},
    {"repeat", numbers_alone},
    {"join", numbers_alone},
    {"indexOf", numbers_alone},
    {"lastIndexOf", numbers_alone},
    {"hasPrefix", numbers_alone},
    {"hasSuffix", numbers_alone},
    {"type", numbers_alone},
    {"keys", numbers_alone},
    {"values", numbers_alone},
    {"toPairs", numbers_alone},
    {"fromPairs", numbers_alone},
    {"toJSON", numbers_alone},
    {"fromJSON", numbers_alone},
    {"toBase64", numbers_alone},
    {"fromBase64", numbers_alone},
}};

static_assert(table.back().id == function::reduce && static_cast<std::size_t>(function::reduce) + 1 == table.size());

}  // namespace

const function_info* find_function(std::string_view name) {
    const auto* at =
        std::find_if(table.begin(), table.end(), [&](const function_info& one) { return one.name == name; });
    return at == table.end() ? nullptr : at;
}

const function_info& info_of(function id) { return table[static_cast<std::size_t>(id)]; }

std::optional<std::string_view> foreign_function(std::string_view name) {
    const auto* at =
        std::find_if(foreigns.begin(), foreigns.end(), [&](const foreign& one) { return one.name == name; });
    if (at == foreigns.end()) return std::nullopt;
    return at->instead;
}

std::vector<std::string_view> function_names() {
    std::vector<std::string_view> out;
    out.reserve(table.size());
    for (const function_info& one : table) out.push_back(one.name);
    return out;
}

}  // namespace gputide::decide
