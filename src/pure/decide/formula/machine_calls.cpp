// Executes arrays and function calls.  Meaning: expr-lang/expr v1.17 builtin/lib.go: min, max, mean and median accept numbers and
// arrays of numbers; ceil, floor and round always return a float; round rounds half away from zero.
#include "decide/formula/machine.hpp"
#include "decide/saturate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gputide::decide {

// Executes arrays and the loops over them: predicates, [a, b] and == on arrays.  All elements are in the machine's arena.

// Compares numbers by value and arrays by their elements; values of different kinds are not equal.
bool formula_machine::same(machine_value left, machine_value right, bool& out) noexcept {
    if (!charge()) return false;
    if (is_number(left) && is_number(right)) {
        out = are_integers(left, right) ? left.integer == right.integer : as_number(left) == as_number(right);
        return true;
    }
    out = left.kind == right.kind;
    if (!out || left.kind == value_kind::nil) return true;
    if (left.kind == value_kind::boolean) {
        out = left.truth == right.truth;
        return true;
    }
    const auto of_left = elements(left);
    const auto of_right = elements(right);
    out = of_left.size() == of_right.size();
    for (std::size_t i = 0; out && i < of_left.size(); ++i)
        if (!same(of_left[i], of_right[i], out)) return false;
    return true;
}

bool formula_machine::make_array(std::uint32_t size) noexcept {
    if (size > formula_arena - used_) return fail(formula_error::stack_exceeded);
    top_ -= size;
    for (std::uint32_t i = 0; i < size; ++i) arena_[used_ + i] = stack_[top_ + i];
    const machine_value::range range{used_, size};
    used_ += size;
    return push({.kind = value_kind::array, .elements = range});
}

// Executes [a, b][0]; index -1 is the last element.
bool formula_machine::select() noexcept {
    const machine_value position = pop();
    const machine_value value = pop();
    if (value.kind != value_kind::array || position.kind != value_kind::integer)
        return fail(formula_error::type_mismatch);
    const std::int64_t size = value.elements.size;
    const std::int64_t at = position.integer < 0 ? size + position.integer : position.integer;
    if (at < 0 || at >= size) return fail(formula_error::index_out_of_range);
    return push(elements(value)[static_cast<std::size_t>(at)]);
}

bool formula_machine::begin() noexcept {
    const machine_value over = pop();
    if (over.kind != value_kind::array) return fail(unusable(over));
    if (depth_ == formula_scopes) return fail(formula_error::stack_exceeded);
    scopes_[depth_++] = {over.elements, 0, top_, 0, nil_value};
    return true;
}

namespace {

bool less(machine_value a, machine_value b) {
    if (a.kind == value_kind::integer && b.kind == value_kind::integer) return a.integer < b.integer;
    return as_number(a) < as_number(b);
}

// Orders all numbers: NaN first, as Go sorts floats.
bool before(machine_value a, machine_value b) {
    if (std::isnan(as_number(a)) || std::isnan(as_number(b)))
        return std::isnan(as_number(a)) && !std::isnan(as_number(b));
    return less(a, b);
}

double rounded(function called, double number) {
    switch (called) {
        case function::ceil:
            return std::ceil(number);
        case function::floor:
            return std::floor(number);
        case function::round:
            return std::round(number);
        default:
            return number;
    }
}

}  // namespace

bool formula_machine::call(std::int32_t argument) noexcept {
    const auto called = static_cast<function>(argument & 0xff);
    const auto count = static_cast<std::uint32_t>(argument >> 8);
    top_ -= count;
    const std::span<const machine_value> values{stack_ + top_, count};
    const bool aggregates =
        called == function::min || called == function::max || called == function::mean || called == function::median;
    return aggregates ? aggregate(called, values) : call_one(called, values[0]);
}

bool formula_machine::call_one(function called, machine_value value) noexcept {
    switch (called) {
        case function::first:
        case function::last: {
            if (value.kind != value_kind::array || value.elements.size == 0) return push(nil_value);
            return push(called == function::first ? elements(value).front() : elements(value).back());
        }
        case function::len:
            return value.kind == value_kind::array ? push_integer(value.elements.size)
                                                   : fail(formula_error::type_mismatch);
        case function::sort:
            return sorted(value);
        default:
            return call_number(called, value);
    }
}

bool formula_machine::call_number(function called, machine_value value) noexcept {
    if (!is_number(value)) return fail(unusable(value));
    if (called == function::to_int) return to_integer(value);
    if (called != function::abs) return push_number(rounded(called, as_number(value)));
    if (value.kind == value_kind::floating) return push_number(value.number < 0 ? -value.number : value.number);
    const bool negative =
        value.integer < 0 && value.integer != std::numeric_limits<std::int64_t>::min();  // has no positive counterpart
    return push_integer(negative ? -value.integer : value.integer);
}

// Go does not define the conversion of a value that does not fit; on amd64 it gives the smallest int64.
bool formula_machine::to_integer(machine_value value) noexcept {
    if (value.kind == value_kind::integer) return push(value);
    const std::optional<std::int64_t> whole = truncated(value.number);
    if (whole) return push_integer(*whole);
    if (code_.mode == formula_mode::strict) return push_integer(std::numeric_limits<std::int64_t>::min());
    return fail(formula_error::out_of_range);
}

bool formula_machine::aggregate(function called, std::span<const machine_value> values) noexcept {
    if (called == function::median) return median(values);
    machine_value best = nil_value;
    double sum = 0.0;
    std::int64_t count = 0;
    for (const machine_value value : values) {
        const bool good =
            called == function::mean ? total(value, sum, count) : extreme(called, value, values.size() == 1, best);
        if (!good) return false;
    }
    if (called == function::mean) return push_number(count == 0 ? 0.0 : sum / static_cast<double>(count));
    return push(best);
}

// `only`: the call has this one argument; a nil or boolean argument is returned unchanged.
bool formula_machine::extreme(function called, machine_value value, bool only, machine_value& best) noexcept {
    if (!charge()) return false;
    if (value.kind == value_kind::array) {
        for (const machine_value element : elements(value))
            if (!extreme(called, element, false, best)) return false;
        return true;
    }
    if (!is_number(value) && !only) return fail(unusable(value));
    const bool better =
        best.kind == value_kind::nil || (called == function::max ? less(best, value) : less(value, best));
    if (better) best = value;
    return true;
}

bool formula_machine::total(machine_value value, double& sum, std::int64_t& count) noexcept {
    if (!charge()) return false;
    if (value.kind == value_kind::array) {
        for (const machine_value element : elements(value))
            if (!total(element, sum, count)) return false;
        return true;
    }
    if (!is_number(value)) return fail(unusable(value));
    sum += as_number(value);
    ++count;
    return true;
}

// Copies the numbers, also those of arrays, as floats to the free end of the arena.
bool formula_machine::spread(machine_value value, std::uint32_t& used) noexcept {
    if (!charge()) return false;
    if (value.kind == value_kind::array) {
        for (std::uint32_t i = 0; i < value.elements.size; ++i)
            if (!spread(arena_[value.elements.at + i], used)) return false;
        return true;
    }
    if (!is_number(value)) return fail(unusable(value));
    if (used == formula_arena) return fail(formula_error::stack_exceeded);
    arena_[used++] = {.kind = value_kind::floating, .number = as_number(value)};
    return true;
}

bool formula_machine::median(std::span<const machine_value> values) noexcept {
    std::uint32_t used = used_;
    for (const machine_value value : values)
        if (!spread(value, used)) return false;
    const std::uint32_t count = used - used_;
    if (count == 0) return push_number(0.0);
    machine_value* const first = arena_ + used_;
    std::sort(first, first + count, before);
    const double upper = first[count / 2].number;
    return push_number(count % 2 == 1 ? upper : (first[count / 2 - 1].number + upper) / 2);
}

bool formula_machine::sorted(machine_value value) noexcept {
    if (value.kind != value_kind::array) return fail(formula_error::type_mismatch);
    const std::span<const machine_value> values = elements(value);
    if (values.size() > formula_arena - used_) return fail(formula_error::stack_exceeded);
    machine_value* const first = arena_ + used_;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!charge()) return false;
        // Go's sort compares nothing if the array has only one element.
        if (values.size() > 1 && !is_number(values[i])) return fail(formula_error::type_mismatch);
        first[i] = values[i];
    }
    if (values.size() > 1) std::sort(first, first + values.size(), before);
    const machine_value::range range{used_, value.elements.size};
    used_ += value.elements.size;
    return push({.kind = value_kind::array, .elements = range});
}

}  // namespace gputide::decide
