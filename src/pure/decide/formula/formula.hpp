// A scalingModifiers formula, compiled once and evaluated on each tick without allocation.
// Compiling takes the text and the trigger names; an evaluation takes the triggers' values and returns a number, nil or an
// error.
// The language is the numeric part of expr-lang (expr-lang/expr v1.17.8, docs/language-definition.md): numbers, booleans,
// nil, arrays, predicates, let and pipes; no strings, maps, dates or regular expressions.
// Size, depth, stack and number of steps are limited, so an evaluation always ends.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gputide::decide {

enum class formula_error : std::int32_t {
    none = 0,
    nil_operand,          // the operand of an operator or function is nil
    type_mismatch,        // a number instead of a boolean, an array instead of a number, ...
    divide_by_zero,       // an integer % 0
    empty_array,          // reduce of an empty array without an initial value
    index_out_of_range,   // [a, b][2]
    out_of_range,         // int() of a number beyond int64 (strict: returns the smallest int64, as on amd64)
    stack_exceeded,       // arrays larger than the evaluation's memory
    too_long,             // more steps than an evaluation may execute
    not_a_number_result,  // the result is a boolean or an array
    int_result,           // strict: "formula returned non-float result int (1)"
};

struct formula_failure {
    formula_error error = formula_error::none;
    std::int32_t column = 0;   // from 1, in the user's text; 0: the whole formula
    std::int64_t integer = 0;  // int_result: the value
};

// Returns a message such as "column 7: % needs integers other than 0 on its right".
std::string formula_failure_text(const formula_failure& failure);

// One trigger's value; nil if its failure threshold is exceeded.  Not initialized: a tick fills only the variables that it
// uses.
struct formula_variable {
    double value;
    bool nil;
};

struct formula_result {
    formula_failure failure;
    bool nil = false;  // possible only with ??
    double value = 0.0;
};

enum class formula_mode : std::int32_t {
    standard = 0,  // converts an integer result
    strict = 1,    // as KEDA: an integer result is a run-time error
};

class formula {
  public:
    // Compiles the formula and runs it once with every variable at -1.0, which must succeed.  Errors name the column and the
    // expected input.  As in KEDA, the text is first wrapped: float(<text>) unless it starts with "float("; with ?? it
    // becomes let r = (<text>); r == nil ? nil : float(r). unusable: names of triggers that formulas cannot use (cpu and
    // memory), for the error message.
    static result<formula> compile(std::string_view text, std::span<const std::string_view> variables,
                                   formula_mode mode = formula_mode::standard,
                                   std::span<const std::string_view> unusable = {});

    // Evaluates the formula. values: one per variable of compile().  Does not allocate; the time is bounded.
    formula_result evaluate(std::span<const formula_variable> values) const noexcept;

    struct program;  // program.hpp

  private:
    explicit formula(std::shared_ptr<const program> code) : code_(std::move(code)) {}

    std::shared_ptr<const program> code_;
};

}  // namespace gputide::decide
