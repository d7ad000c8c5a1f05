// Tests what formulas refuse: each error names its column and what was expected.
#include "evaluate.hpp"

#include <string>

namespace {

using namespace test;

void expect_refused(std::string_view text, const std::string& part) {
    const std::string got = compile_failure(text);
    EXPECT_NE(got.find(part), std::string::npos) << text << ": " << got;
}

TEST(FormulaError, Syntax) {
    expect_refused("", "end of the formula: expected a number, a trigger name or (, got the end");
    expect_refused("a +", "end of the formula: expected a number, a trigger name or (, got the end");
    expect_refused("(a + b", "expected \")\", got the end");
    expect_refused("a b", "formula column 3: expected an operator or the end of the formula, got \"b\"");
    expect_refused("a ?? b c", "formula column 8: expected an operator or the end of the formula, got \"c\"");
    expect_refused("a + * b", "formula column 5: expected a number, a trigger name or (, got \"*\"");
    expect_refused("a ? 1", "expected \":\", got the end");
    expect_refused("[a, b", "expected \",\" or \"]\", got the end");
    expect_refused("max(a b)", "formula column 7: expected \",\" or \")\", got \"b\"");
    expect_refused("let = 5; a", "formula column 5: expected a name after let");
    expect_refused("let x 5; x", "formula column 7: expected \"=\"");
    expect_refused("a | 5", "formula column 5: expected a function after |");
    expect_refused("a ?? b + 1", "formula column 8: \"+\" and ?? cannot be mixed");
    expect_refused("a /* b", "formula column 3: this comment is not closed");
    expect_refused("\xff", "expected UTF-8");
}

TEST(FormulaError, Numbers) {
    expect_refused("5x", "formula column 1: expected a number, got \"5x\"");
    expect_refused("0x", "formula column 1: expected a number");
    expect_refused("0b12", "formula column 1: expected a number");
    expect_refused("a + 1e400", "formula column 5: expected a number");
    expect_refused("9223372036854775808", "formula column 1: expected a number");
    expect_refused("1.2.3", "formula column 1: expected a number");
}

TEST(FormulaError, WhatNoScalingFormulaNeeds) {
    expect_refused("\"x\"", "formula column 1: texts are not part of a scaling formula");
    expect_refused("a in [1]", "formula column 3: \"in\" is not part of a scaling formula");
    expect_refused("1..3", "\"..\" is not part of a scaling formula");
    expect_refused("a @ b", "formula column 3: unexpected character");
    expect_refused("{a: 1}", "formula column 1: expected a number, a trigger name or (");
    expect_refused("a.b", "formula column 2: expected");
}

// KEDA writes float( and ) around the text.
TEST(FormulaError, ACommentThatHidesKedasBracket) {
    for (const char* text : {"a // comment", "(a /* c */ ?? 1) // comment", "a /* open */ // x"}) {
        EXPECT_NE(compile_failure(text, formula_mode::strict).find("hides the bracket"), std::string::npos) << text;
        EXPECT_EQ(compile_failure(text), "") << text;
    }
    for (const char* text : {"a // comment\n", "float(a) // comment", "a /* // */ / b"}) {
        EXPECT_EQ(compile_failure(text, formula_mode::strict), "") << text;
    }
}

TEST(FormulaError, Names) {
    expect_refused("gpu_utl + 1", "formula column 1: unknown name gpu_utl; did you mean gpu_util?");
    expect_refused(
        "queue-depth",
        "formula column 1: unknown name queue; the - in the name of the trigger \"queue-depth\" would subtract");
    expect_refused("xyzzy", "unknown name xyzzy; triggers with a name are a b gpu_util queue-depth");
    expect_refused("summ([a])", "formula column 1: unknown function \"summ\"; did you mean \"sum\"?");
    expect_refused("now() > 1 ? 1 : 2",
                   "\"now\" is a function of expr that gputide's formulas do not support; for times, use");
    expect_refused("findLast([a], {# > 1})", "write last(filter(array, {condition}))");
    expect_refused("sum([a, b],)", "formula column 12: expected another argument");
    expect_refused("frobnicate(a)", "unknown function \"frobnicate\"; known are abs");
    expect_refused("max", "unknown name max; call the function as max(...)");
    expect_refused("let a = 1; a", "formula column 5: cannot redeclare a");
    expect_refused("let x = 1; let x = 2; x", "formula column 16: cannot redeclare x");
    expect_refused("let max = 1; max", "cannot redeclare max");
    expect_refused("(let x = 1; x) + x", "formula column 18: unknown name x");
}

TEST(FormulaError, Pointers) {
    expect_refused("# + 1", "formula column 1: # stands for an element");
    expect_refused("count([a], #acc > 1)", "formula column 12: unknown pointer #acc");
    expect_refused("count([a], #nope > 1)", "unknown pointer #nope");
}

TEST(FormulaError, KindsKnownBeforehand) {
    expect_refused("a && b ? 1 : 0", "formula column 3: invalid operation: && (mismatched types float64 and float64)");
    expect_refused("a % 2", "formula column 3: invalid operation: % (mismatched types float64 and int)");
    expect_refused("not a > b ? 1 : 0", "formula column 1: invalid operation: ! (mismatched type float64)");
    expect_refused("true == a < b ? 1 : 2",
                   "formula column 6: invalid operation: == (mismatched types bool and float64)");
    expect_refused("a + true", "invalid operation: + (mismatched types float64 and bool)");
    expect_refused("a + nil", "mismatched types float64 and nil");
    expect_refused("-true", "invalid operation: - (mismatched type bool)");
    expect_refused("a == true ? 1 : 0", "invalid operation: == (mismatched types float64 and bool)");
    expect_refused("a ? 1 : 0", "formula column 1: non-bool expression (type float64) used as condition");
    expect_refused("abs([a])", "formula column 1: invalid argument for abs (type array)");
    expect_refused("len(a)", "invalid argument for len (type float64)");
    expect_refused("max(a, true)", "invalid argument for max (type bool)");
    expect_refused("sum(a)", "formula column 5: builtin sum takes only array (got float64)");
    expect_refused("count([a], 5)", "formula column 12: predicate should return boolean (got int)");
    expect_refused("map([a], nil)", "a predicate cannot be nil");
    expect_refused("a[0]", "only an array has elements, got float64");
    expect_refused("[a][1.5]", "array elements can only be selected using an integer (got float64)");
    expect_refused("a > b", "invalid argument for float (type bool)");
    expect_refused("[a, b]", "invalid argument for float (type array)");
    expect_refused("float(a) > b", "the formula must return a number, but it returns a boolean");
    expect_refused("a ?? b > 1", "cannot be mixed");
}

TEST(FormulaError, Counts) {
    expect_refused("abs()", "formula column 1: \"abs\" takes 1 arguments, got 0");
    expect_refused("abs(a, b)", "\"abs\" takes 1 arguments, got 2");
    expect_refused("max()", "\"max\" takes at least 1 arguments, got 0");
    expect_refused("reduce([a])", "\"reduce\" takes 2 to 3 arguments, got 1");
    expect_refused("all([a])", "\"all\" takes 2 arguments, got 1");
}

TEST(FormulaError, TheTrialRun) {
    expect_refused("5 % 0", "a trial run with every trigger at -1 failed: formula column 3: integer divide by zero");
    expect_refused("[a][int(a) - 1]", "formula column 4: the array has no such element");
    expect_refused("reduce([], #acc + #)", "reduce of an empty array needs a third argument");
}

TEST(FormulaError, AtEvaluation) {
    expect_error("a + b", formula_error::nil_operand, 3, std::nullopt);
    expect_error("a > 5 ? 1 : 0", formula_error::nil_operand, 3, std::nullopt);
    expect_error("max(a, b)", formula_error::nil_operand, 1, std::nullopt);
    expect_error("5 % int(a - 2)", formula_error::divide_by_zero, 3);
    expect_error("int(a)", formula_error::out_of_range, 1, 1e300);
    expect_error("[1, 2][int(a) + 1]", formula_error::index_out_of_range, 7);
    expect_error("a > 1 ? sum([1, true]) : 0", formula_error::type_mismatch, 9);
    EXPECT_EQ(formula_failure_text(run("a + b", std::nullopt).failure),
              "formula column 3: an operand is nil; give it a value with ??");
}

TEST(FormulaError, StrictRefusesWholeResults) {
    const formula_result got = run("float(a) > 1 ? 7 : 0", 2.0, 3.0, formula_mode::strict);
    EXPECT_EQ(got.failure.error, formula_error::int_result);
    EXPECT_EQ(formula_failure_text(got.failure), "formula returned non-float result int (7)");
    expect_value("float(a) > 1 ? 7 : 0", 7);
    EXPECT_EQ(run("float(a) > 1", 2.0, 3.0, formula_mode::strict).failure.error, formula_error::not_a_number_result);
    EXPECT_EQ(run("int(a)", 1e300, 3.0, formula_mode::strict).failure.error, formula_error::none);
}

std::string repeated(std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

TEST(FormulaError, Limits) {
    expect_refused(repeated("a+", 3000) + "a", "at most 4096 bytes, got 6001");
    expect_refused(repeated("a+", 1000) + "a", "more than 512 operations deep");
    expect_refused(repeated("(", 100) + "a" + repeated(")", 100), "brackets nest more than 64 deep");
    expect_refused(repeated("-", 100) + "a", "brackets nest more than 64 deep");
    expect_refused(repeated("a ? b : ", 100) + "a", "more than 64 deep");
    std::string lets;
    for (int i = 0; i < 33; ++i) lets += "let x" + std::to_string(i) + " = a; ";
    expect_refused(lets + "a", "more than 32 let");
    EXPECT_EQ(compile_failure(repeated("a+", 500) + "a"), "");
}

TEST(FormulaError, ChainsAreBounded) {
    // Each comparison chain holds its middle twice; nested within each other they double.
    std::string text = "a";
    for (int i = 0; i < 20; ++i) text = "(0 < " + text + " < 9 ? 1 : 0)";
    expect_refused(text, "the formula is too large");
}

TEST(FormulaError, EvaluationIsBounded) {
    const std::string ten = "[1,2,3,4,5,6,7,8,9,10]";
    const std::string loops =
        "let x = " + ten +
        "; count(x, {count(x, {count(x, {count(x, {count(x, {count(x, # > 0) > 0}) > 0}) > 0}) > 0}) > 0})";
    expect_refused(loops, "the evaluation takes too many steps");
    const std::string arrays = "len(map(" + ten + ", map(" + ten + ", map(" + ten + ", [#, #]))))";
    expect_refused(arrays, "the arrays have more elements than an evaluation may use");
    std::string doubled = "let x0 = [1, 1]; ";
    for (int i = 1; i < 30; ++i)
        doubled +=
            "let x" + std::to_string(i) + " = [x" + std::to_string(i - 1) + ", x" + std::to_string(i - 1) + "]; ";
    expect_refused(doubled + "max(x29)", "the evaluation takes too many steps");
    expect_refused(doubled + "mean(x29)", "the evaluation takes too many steps");
    expect_refused(doubled + "x29 == x29 ? 1 : 0", "the evaluation takes too many steps");
    expect_refused(doubled + "median(x29)", "the arrays have more elements than an evaluation may use");
}

}  // namespace
