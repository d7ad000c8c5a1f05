// A scalingModifiers formula, compiled once and evaluated on every tick without allocation.
// Comes in: the text and the trigger names.  Goes out: a flat program; from values a number, nil, or why not.
// The language is the numeric part of expr-lang (expr-lang/expr v1.17.8, docs/language-definition.md):
// numbers, booleans, nil, arrays, predicates, let and pipes; no strings, maps, dates or regular expressions.
// Never a loop that the text does not bound: size, depth and stack have limits.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gputide::decide {

enum class formula_error : std::int32_t {
    none = 0,
    nil_operand,          // an operator or function met nil
    type_mismatch,        // a number where a truth value is needed, an array where a number is needed, ...
    divide_by_zero,       // an integer % 0
    empty_array,          // reduce of nothing
    index_out_of_range,   // [a, b][2]
    out_of_range,         // int() of a number beyond int64 (strict: the smallest int64, as on amd64)
    stack_exceeded,       // arrays larger than the evaluation's memory
    too_long,             // more steps than an evaluation may take
    not_a_number_result,  // the result is a truth value or an array
    int_result,           // strict: "formula returned non-float result int (1)"
};

struct formula_failure {
    formula_error error = formula_error::none;
    std::int32_t column = 0;   // from 1, in the text as the user wrote it; 0: the whole
    std::int64_t integer = 0;  // int_result: the value
};

// "column 7: % needs integers other than 0 on its right".
std::string formula_failure_text(const formula_failure& failure);

// One trigger's value; nil beyond its failure threshold.  Left uninitialized so that a tick fills only what it uses.
struct formula_variable {
    double value;
    bool nil;
};

struct formula_result {
    formula_failure failure;
    bool nil = false;  // only with ??
    double value = 0.0;
};

enum class formula_mode : std::int32_t {
    standard = 0,  // an integer result is converted
    strict = 1,    // as KEDA: an integer result is a run-time error
};

class formula {
  public:
    // Compiles, and runs once with every variable -1.0, which must succeed.  Errors name the column and what
    // was expected. As KEDA, the text is first wrapped: float(<text>) unless it starts with "float("; with ??
    // it is let r = (<text>); r == nil ? nil : float(r).
    // unusable: names of triggers that no formula can use (cpu and memory), for the error.
    static result<formula> compile(std::string_view text, std::span<const std::string_view> variables,
                                   formula_mode mode = formula_mode::standard,
                                   std::span<const std::string_view> unusable = {});

    // values: one per variable of compile().  No allocation, bounded time.
    formula_result evaluate(std::span<const formula_variable> values) const noexcept;

    struct program;  // program.hpp

  private:
    explicit formula(std::shared_ptr<const program> code) : code_(std::move(code)) {}

    std::shared_ptr<const program> code_;
};

}  // namespace gputide::decide
