// The compiled form of a formula: a flat list of instructions for a stack machine.
// Comes out of the compiler (compiler.cpp); goes into the machine (machine.cpp).
#pragma once

#include "base/result.hpp"
#include "decide/formula/compile/parser.hpp"
#include "decide/formula/formula.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gputide::decide {

enum class value_kind : std::uint8_t { nil, boolean, integer, floating, array };

// Trivial, so that the machine's stack costs nothing until it is used.
struct machine_value {
    struct range {
        std::uint32_t at;  // in the machine's arena
        std::uint32_t size;
    };
    value_kind kind;
    union {
        bool truth;
        std::int64_t integer;
        double number;
        range elements;
    };
};

enum class operation : std::uint8_t {
    push,       // constants[argument]
    variable,   // the trigger's value or nil
    local,      // locals[argument]
    set_local,  // takes the top
    pop,
    plus,
    negate,
    invert,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    equal,
    not_equal,
    less,
    less_equal,
    more,
    more_equal,
    jump,             // to argument
    jump_if_false,    // the top stays
    jump_if_true,     // the top stays
    jump_if_not_nil,  // the top stays
    array,            // the top `argument` values become one
    index,
    begin,         // takes an array: a scope over its elements
    jump_if_done,  // to argument when the scope has no further element
    next,          // to argument, one element further
    element,
    position,
    accumulator,
    set_accumulator,  // takes the top
    count_if,         // takes a truth value
    counted,
    keep_if,  // filter: takes a truth value; the element goes onto the stack where it holds
    gather,   // ends a filter or map: what the scope has put onto the stack becomes an array
    end,
    call,  // function in the low 8 bits, number of arguments above
};

struct instruction {
    operation code = operation::push;
    std::uint16_t column = 0;
    std::int32_t argument = 0;
};

struct formula::program {
    std::vector<instruction> code;
    std::vector<machine_value> constants;
    std::size_t variables = 0;
    formula_mode mode = formula_mode::standard;
};

inline constexpr std::size_t formula_bytes = 4'096;
inline constexpr std::size_t formula_instructions = 8'192;
inline constexpr std::size_t formula_stack = 512;
inline constexpr std::size_t formula_arena = 1'024;  // elements of all arrays of one evaluation
inline constexpr std::size_t formula_locals = 32;
inline constexpr std::size_t formula_scopes = 16;  // predicates within each other
inline constexpr std::int32_t formula_steps = 200'000;

// Checks kinds, as far as they are known before there are values, and names.
result<formula::program> compile_formula(const formula_tree& tree, std::span<const std::string_view> variables,
                                         formula_mode mode, std::span<const std::string_view> unusable);

formula_result run_formula(const formula::program& code, std::span<const formula_variable> values) noexcept;

}  // namespace gputide::decide
