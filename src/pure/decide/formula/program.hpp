// The compiled form of a formula: a list of instructions for a stack machine. compiler.cpp produces it; machine.cpp executes
// it.
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

// Trivial, so that the machine's stack needs no initialization.
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
    set_local,  // pops the top
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
    jump_if_false,    // does not pop
    jump_if_true,     // does not pop
    jump_if_not_nil,  // does not pop
    array,            // replaces the top `argument` values by one array
    index,
    begin,         // pops an array and opens a scope over its elements
    jump_if_done,  // to argument if the scope has no further element
    next,          // to argument, with the next element
    element,
    position,
    accumulator,
    set_accumulator,  // pops the top
    count_if,         // pops a boolean
    counted,
    keep_if,  // filter: pops a boolean; if it is true, pushes the element
    gather,   // ends filter or map: replaces the values that the scope pushed by an array
    end,
    call,  // function in the low 8 bits, number of arguments in the rest
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
inline constexpr std::size_t formula_scopes = 16;  // nested predicates
inline constexpr std::int32_t formula_steps = 200'000;

// Checks names, and kinds as far as they are known before evaluation.
result<formula::program> compile_formula(const formula_tree& tree, std::span<const std::string_view> variables,
                                         formula_mode mode, std::span<const std::string_view> unusable);

formula_result run_formula(const formula::program& code, std::span<const formula_variable> values) noexcept;

}  // namespace gputide::decide
