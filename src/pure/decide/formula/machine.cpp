// Executes the machine's instructions.  Number rules of expr-lang/expr v1.17 vm/runtime: int with int gives int and wraps at
// 64 bits; any float gives a float; / and ** always give a float; % accepts only ints.  Arrays and functions are in
// machine_calls.cpp.
#include "decide/formula/machine.hpp"

#include "base/go_math.hpp"

namespace gputide::decide {

namespace {

// Computes with unsigned integers: Go's integers wrap, and in C++ only unsigned ones do.
std::int64_t wrapped(operation code, std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::uint64_t>(left);
    const auto b = static_cast<std::uint64_t>(right);
    switch (code) {
        case operation::add:
            return static_cast<std::int64_t>(a + b);
        case operation::subtract:
            return static_cast<std::int64_t>(a - b);
        default:
            return static_cast<std::int64_t>(a * b);
    }
}

double computed(operation code, double left, double right) {
    switch (code) {
        case operation::add:
            return left + right;
        case operation::subtract:
            return left - right;
        case operation::multiply:
            return left * right;
        case operation::divide:
            return left / right;  // a division by 0 gives an infinity or NaN, as in Go
        default:
            return go_pow(left, right);
    }
}

template <class Number>
bool compared(operation code, Number left, Number right) {
    switch (code) {
        case operation::less:
            return left < right;
        case operation::less_equal:
            return left <= right;
        case operation::more:
            return left > right;
        default:
            return left >= right;
    }
}

}  // namespace

formula_result formula_machine::run() noexcept {
    while (at_ < code_.code.size()) {
        const instruction& now = code_.code[at_++];
        if (charge() && step(now)) continue;
        failure_.column = now.column;
        return stopped();
    }
    return finished(pop());
}

formula_result formula_machine::stopped() noexcept {
    formula_result out;
    out.failure = failure_;
    return out;
}

formula_result formula_machine::finished(machine_value last) noexcept {
    formula_result out;
    switch (last.kind) {
        case value_kind::floating:
            out.value = last.number;
            break;
        case value_kind::nil:
            out.nil = true;
            break;
        case value_kind::integer:
            out.value = static_cast<double>(last.integer);
            if (code_.mode == formula_mode::strict) out.failure = {formula_error::int_result, 0, last.integer};
            break;
        default:
            out.failure = {formula_error::not_a_number_result, 0, 0};
            break;
    }
    return out;
}

bool formula_machine::fail(formula_error why) noexcept {
    failure_.error = why;
    return false;
}

bool formula_machine::charge() noexcept { return --steps_ > 0 || fail(formula_error::too_long); }

bool formula_machine::push(machine_value value) noexcept {
    if (top_ == formula_stack) return fail(formula_error::stack_exceeded);
    stack_[top_++] = value;
    return true;
}

bool formula_machine::push_number(double number) noexcept {
    return push({.kind = value_kind::floating, .number = number});
}

bool formula_machine::push_integer(std::int64_t integer) noexcept {
    return push({.kind = value_kind::integer, .integer = integer});
}

bool formula_machine::push_truth(bool truth) noexcept { return push({.kind = value_kind::boolean, .truth = truth}); }

bool formula_machine::pop_truth(bool& out) noexcept {
    const machine_value top = pop();
    if (top.kind != value_kind::boolean) return fail(unusable(top));
    out = top.truth;
    return true;
}

bool formula_machine::step(const instruction& now) noexcept {
    const auto argument = static_cast<std::uint32_t>(now.argument);
    bool truth = false;
    switch (now.code) {
        case operation::push:
            return push(code_.constants[argument]);
        case operation::variable:
            if (argument >= values_.size() || values_[argument].nil) return push(nil_value);
            return push_number(values_[argument].value);
        case operation::local:
            return push(locals_[argument]);
        case operation::set_local:
            locals_[argument] = pop();
            return true;
        case operation::pop:
            --top_;
            return true;
        case operation::plus:
            return true;  // accepts any value: expr-lang's compiler drops a unary plus
        case operation::negate:
            return negate();
        case operation::invert:
            return pop_truth(truth) && push_truth(!truth);
        case operation::jump:
        case operation::jump_if_false:
        case operation::jump_if_true:
        case operation::jump_if_not_nil:
            return jump(now);
        case operation::array:
            return make_array(argument);
        case operation::index:
            return select();
        case operation::begin:
            return begin();
        case operation::jump_if_done:
            if (loop().at >= loop().elements.size) at_ = argument;
            return true;
        case operation::next:
            ++loop().at;
            at_ = argument;
            return true;
        case operation::element:
            if (loop().at >= loop().elements.size) return fail(formula_error::empty_array);  // reduce of an empty array
            return push(element());
        case operation::position:
            return push_integer(loop().at);
        case operation::accumulator:
            return push(loop().accumulator);
        case operation::set_accumulator:
            loop().accumulator = pop();
            return true;
        case operation::count_if:
            if (!pop_truth(truth)) return false;
            loop().count += truth ? 1 : 0;
            return true;
        case operation::counted:
            return push_integer(loop().count);
        case operation::keep_if:
            return pop_truth(truth) && (!truth || push(element()));
        case operation::gather:
            return make_array(top_ - loop().stack);
        case operation::end:
            --depth_;
            return true;
        case operation::call:
            return call(now.argument);
        default:
            return binary(now.code);
    }
}

bool formula_machine::jump(const instruction& now) noexcept {
    const machine_value top = stack_[top_ - (now.code == operation::jump ? 0 : 1)];
    bool taken = true;
    if (now.code == operation::jump_if_not_nil) {
        taken = top.kind != value_kind::nil;
    } else if (now.code != operation::jump) {
        if (top.kind != value_kind::boolean) return fail(unusable(top));
        taken = top.truth == (now.code == operation::jump_if_true);
    }
    if (taken) at_ = static_cast<std::uint32_t>(now.argument);
    return true;
}

bool formula_machine::negate() noexcept {
    machine_value& top = stack_[top_ - 1];
    if (!is_number(top)) return fail(unusable(top));
    if (top.kind == value_kind::integer) {
        top.integer = wrapped(operation::subtract, 0, top.integer);
    } else {
        top.number = -top.number;
    }
    return true;
}

bool formula_machine::binary(operation code) noexcept {
    const machine_value right = pop();
    const machine_value left = pop();
    if (code == operation::equal || code == operation::not_equal) {
        bool equal = false;
        return same(left, right, equal) && push_truth(equal == (code == operation::equal));
    }
    if (!is_number(left)) return fail(unusable(left));
    if (!is_number(right)) return fail(unusable(right));
    const bool compares = code == operation::less || code == operation::less_equal || code == operation::more ||
                          code == operation::more_equal;
    return compares ? comparison(code, left, right) : arithmetic(code, left, right);
}

bool formula_machine::arithmetic(operation code, machine_value left, machine_value right) noexcept {
    const bool to_float = code == operation::divide || code == operation::power;
    if (!to_float && are_integers(left, right)) return whole_numbers(code, left.integer, right.integer);
    if (code == operation::modulo) return fail(formula_error::type_mismatch);
    return push_number(computed(code, as_number(left), as_number(right)));
}

bool formula_machine::whole_numbers(operation code, std::int64_t left, std::int64_t right) noexcept {
    if (code != operation::modulo) return push_integer(wrapped(code, left, right));
    if (right == 0) return fail(formula_error::divide_by_zero);
    return push_integer(right == -1 ? 0 : left % right);  // the smallest int64 % -1 overflows in C++ and is 0 in Go
}

bool formula_machine::comparison(operation code, machine_value left, machine_value right) noexcept {
    if (are_integers(left, right)) return push_truth(compared(code, left.integer, right.integer));
    return push_truth(compared(code, as_number(left), as_number(right)));
}

formula_result run_formula(const formula::program& code, std::span<const formula_variable> values) noexcept {
    return formula_machine(code, values).run();
}

}  // namespace gputide::decide
