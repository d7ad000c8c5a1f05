// The tables of parser.hpp and compiler.hpp: functions in the order of `function`, and operators with their operand and
// result types.
#include "base/text.hpp"
#include "decide/formula/compile/compiler.hpp"
#include "decide/formula/compile/parser.hpp"

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

// Functions of expr, separated by blanks, and what a formula needs in their place.
struct foreign {
    std::string_view names, instead;
};

// expr-lang/expr v1.17 builtin/builtin.go.
constexpr foreign foreigns[] = {
    {"get", "write a[0], or a ?? b for a value that may be missing"},
    {"concat flatten", "write all elements in one array: [a, b]"},
    {"reverse", "sort(array) gives ascending numbers, and array[-1] the last"},
    {"sortBy", "sort(array) sorts numbers"},
    {"countBy", "write count(array, {condition})"},
    {"find", "write first(filter(array, {condition}))"},
    {"findLast", "write last(filter(array, {condition}))"},
    {"take uniq groupBy findIndex findLastIndex", "write it with filter, map, count, sum or reduce"},
    {"bitand bitor bitxor bitnand bitshl bitshr bitushr bitnot",
     "write it with the operators + - * / % and comparisons"},
    {"now date duration timezone", "for times, use the value of a cron trigger"},
    {"string trim trimPrefix trimSuffix upper lower split splitAfter replace repeat join indexOf lastIndexOf hasPrefix "
     "hasSuffix type keys values toPairs fromPairs toJSON fromJSON toBase64 fromBase64",
     "write it with only numbers and trigger names"},
};

static_assert(table.back().id == function::reduce && static_cast<std::size_t>(function::reduce) + 1 == table.size());

}  // namespace

const function_info* find_function(std::string_view name) {
    const auto* at = std::ranges::find_if(table, [&](const function_info& info) { return info.name == name; });
    return at == table.end() ? nullptr : at;
}

const function_info& info_of(function id) { return table[static_cast<std::size_t>(id)]; }

std::optional<std::string_view> foreign_function(std::string_view name) {
    for (const foreign& entry : foreigns) {
        if (std::ranges::count(split(entry.names, ' '), name) != 0) return entry.instead;
    }
    return std::nullopt;
}

std::vector<std::string_view> function_names() {
    std::vector<std::string_view> out;
    out.reserve(table.size());
    for (const function_info& info : table) out.push_back(info.name);
    return out;
}

namespace {

bool is_number(kind type) { return type == kind::integer || type == kind::floating; }

kind sum_kind(kind left, kind right) {
    if (!is_number(left) || !is_number(right)) return kind::any;
    return left == kind::floating || right == kind::floating ? kind::floating : kind::integer;
}

bool two_numbers(kind left, kind right) { return may_be_number(left) && may_be_number(right); }
bool two_integers(kind left, kind right) { return may_be(left, kind::integer) && may_be(right, kind::integer); }
bool comparable(kind left, kind right) {
    const bool open = left == kind::nil || right == kind::nil || left == kind::any || right == kind::any;
    return open || left == right || (is_number(left) && is_number(right));
}
kind truth_kind(kind, kind) { return kind::boolean; }
kind float_kind(kind, kind) { return kind::floating; }

constexpr std::array<binary_rule, 12> binary_rules = {{
    {"+", operation::add, two_numbers, sum_kind},
    {"-", operation::subtract, two_numbers, sum_kind},
    {"*", operation::multiply, two_numbers, sum_kind},
    {"/", operation::divide, two_numbers, float_kind},
    {"%", operation::modulo, two_integers, sum_kind},
    {"**", operation::power, two_numbers, float_kind},
    {"==", operation::equal, comparable, truth_kind},
    {"!=", operation::not_equal, comparable, truth_kind},
    {"<", operation::less, two_numbers, truth_kind},
    {"<=", operation::less_equal, two_numbers, truth_kind},
    {">", operation::more, two_numbers, truth_kind},
    {">=", operation::more_equal, two_numbers, truth_kind},
}};

}  // namespace

const char* kind_name(kind type) {
    constexpr const char* names[] = {"any", "nil", "bool", "int", "float64", "array"};
    return names[static_cast<std::size_t>(type)];
}

bool may_be_number(kind type) { return is_number(type) || type == kind::any; }
bool may_be(kind type, kind wanted) { return type == wanted || type == kind::any; }

kind either_kind(kind left, kind right) {
    if (left == kind::nil) return right;
    if (right == kind::nil || left == right) return left;
    return kind::any;
}

const binary_rule* find_rule(std::string_view text) {
    const auto* found = std::ranges::find_if(binary_rules, [&](const binary_rule& rule) { return rule.text == text; });
    return found == binary_rules.end() ? nullptr : found;
}

bool accepts(function called, kind type) {
    switch (called) {
        case function::first:
        case function::last:
        case function::len:
        case function::sort:
            return may_be(type, kind::array);
        case function::min:
        case function::max:
        case function::mean:
        case function::median:
            return may_be_number(type) || type == kind::array;
        default:
            return may_be_number(type);
    }
}

kind call_kind(function called, const std::vector<kind>& kinds) {
    switch (called) {
        case function::abs:
            return kinds[0];
        case function::to_int:
        case function::len:
            return kind::integer;
        case function::sort:
            return kind::array;
        case function::min:
        case function::max:
            return std::ranges::all_of(kinds, [&](kind type) { return is_number(type) && type == kinds[0]; })
                       ? kinds[0]
                       : kind::any;
        case function::first:
        case function::last:
            return kind::any;
        default:
            return kind::floating;
    }
}

kind predicate_call_kind(function called) {
    switch (called) {
        case function::filter:
        case function::map:
            return kind::array;
        case function::count:
            return kind::integer;
        case function::sum:
        case function::reduce:
            return kind::any;
        default:
            return kind::boolean;
    }
}

}  // namespace gputide::decide
