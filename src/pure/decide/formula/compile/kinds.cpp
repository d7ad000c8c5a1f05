// The table behind kinds.hpp.
#include "decide/formula/kinds.hpp"

#include <algorithm>
#include <array>

namespace gputide::decide {

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
    const auto* found = std::find_if(binary_rules.begin(), binary_rules.end(),
                                     [&](const binary_rule& one) { return one.text == text; });
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
            return std::all_of(kinds.begin(), kinds.end(), [&](kind one) { return is_number(one) && one == kinds[0]; })
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
