// The stack machine that evaluates a compiled formula.  This object, on the caller's stack, is its whole memory.
// Takes a program and the triggers' values; returns a number, nil or an error with its column.  Never allocates, recurses
// only into nested arrays, and always ends (formula_steps).
#pragma once

#include "decide/formula/program.hpp"

#include <cstdint>
#include <span>

namespace gputide::decide {

inline constexpr machine_value nil_value{.kind = value_kind::nil, .integer = 0};

inline bool is_number(machine_value value) noexcept {
    return value.kind == value_kind::integer || value.kind == value_kind::floating;
}

inline bool are_integers(machine_value a, machine_value b) noexcept {
    return a.kind == value_kind::integer && b.kind == value_kind::integer;
}

// Returns a value as a number.
inline double as_number(machine_value value) noexcept {
    return value.kind == value_kind::integer ? static_cast<double>(value.integer) : value.number;
}

// Returns the error of using a value where another kind is needed.
inline formula_error unusable(machine_value value) noexcept {
    return value.kind == value_kind::nil ? formula_error::nil_operand : formula_error::type_mismatch;
}

class formula_machine {
  public:
    formula_machine(const formula::program& code, std::span<const formula_variable> values) noexcept
        : code_(code), values_(values) {}

    formula_result run() noexcept;

  private:
    struct scope {
        machine_value::range elements;
        std::uint32_t at;
        std::uint32_t stack;  // stack height below the values of the scope
        std::int64_t count;
        machine_value accumulator;
    };

    // Each returns false after fail().
    bool step(const instruction& now) noexcept;
    bool jump(const instruction& now) noexcept;
    bool negate() noexcept;
    bool binary(operation code) noexcept;
    bool arithmetic(operation code, machine_value left, machine_value right) noexcept;
    bool whole_numbers(operation code, std::int64_t left, std::int64_t right) noexcept;
    bool comparison(operation code, machine_value left, machine_value right) noexcept;
    bool begin() noexcept;
    bool select() noexcept;
    bool make_array(std::uint32_t size) noexcept;
    bool call(std::int32_t argument) noexcept;
    bool call_one(function called, machine_value value) noexcept;
    bool call_number(function called, machine_value value) noexcept;
    bool to_integer(machine_value value) noexcept;
    bool aggregate(function called, std::span<const machine_value> values) noexcept;
    bool extreme(function called, machine_value value, bool only, machine_value& best) noexcept;
    bool total(machine_value value, double& sum, std::int64_t& count) noexcept;
    bool spread(machine_value value, std::uint32_t& used) noexcept;
    bool median(std::span<const machine_value> values) noexcept;
    bool sorted(machine_value value) noexcept;
    bool same(machine_value left, machine_value right, bool& out) noexcept;

    bool fail(formula_error why) noexcept;
    bool charge() noexcept;
    bool push(machine_value element) noexcept;
    bool push_number(double number) noexcept;
    bool push_integer(std::int64_t integer) noexcept;
    bool push_truth(bool truth) noexcept;
    bool pop_truth(bool& out) noexcept;
    machine_value pop() noexcept { return stack_[--top_]; }
    scope& loop() noexcept { return scopes_[depth_ - 1]; }
    machine_value element() noexcept { return arena_[loop().elements.at + loop().at]; }
    std::span<const machine_value> elements(machine_value array) const noexcept {
        return {arena_ + array.elements.at, array.elements.size};
    }
    formula_result finished(machine_value last) noexcept;
    formula_result stopped() noexcept;

    const formula::program& code_;
    std::span<const formula_variable> values_;
    std::uint32_t at_ = 0;     // next instruction
    std::uint32_t top_ = 0;    // of the stack
    std::uint32_t used_ = 0;   // of the arena
    std::uint32_t depth_ = 0;  // of the scopes
    std::int32_t steps_ = formula_steps;
    formula_failure failure_;

    // Not initialized: an evaluation writes before it reads.
    machine_value stack_[formula_stack];
    machine_value arena_[formula_arena];
    machine_value locals_[formula_locals];
    scope scopes_[formula_scopes];
};

}  // namespace gputide::decide
