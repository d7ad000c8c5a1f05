// Executes arrays and the loops over them: predicates, [a, b] and == on arrays.  All elements are in the machine's arena.
#include "decide/formula/machine.hpp"

namespace gputide::decide {

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
    scopes_[depth_++] = {over.elements, 0, top_, 0, {.kind = value_kind::nil, .integer = 0}};
    return true;
}

bool formula_machine::looped(const instruction& now) noexcept {
    if (now.code == operation::begin) return begin();
    scope& loop = scopes_[depth_ - 1];
    switch (now.code) {
        case operation::jump_if_done:
            if (loop.at >= loop.elements.size) at_ = static_cast<std::uint32_t>(now.argument);
            return true;
        case operation::next:
            ++loop.at;
            at_ = static_cast<std::uint32_t>(now.argument);
            return true;
        default:
            --depth_;
            return true;
    }
}

bool formula_machine::in_scope(const instruction& now) noexcept {
    scope& loop = scopes_[depth_ - 1];
    bool holds = false;
    switch (now.code) {
        case operation::element:
            if (loop.at >= loop.elements.size) return fail(formula_error::empty_array);  // reduce of an empty array
            return push(arena_[loop.elements.at + loop.at]);
        case operation::position:
            return push_integer(loop.at);
        case operation::accumulator:
            return push(loop.accumulator);
        case operation::set_accumulator:
            loop.accumulator = pop();
            return true;
        case operation::counted:
            return push_integer(loop.count);
        case operation::gather:
            return make_array(top_ - loop.stack);
        case operation::keep_if:
            return pop_truth(holds) && (!holds || push(arena_[loop.elements.at + loop.at]));
        default:
            if (!pop_truth(holds)) return false;
            loop.count += holds ? 1 : 0;
            return true;
    }
}

}  // namespace gputide::decide
