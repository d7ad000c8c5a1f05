// Tests what formulas mean: numbers, operators and how they bind, functions, arrays, predicates, let and pipes.
// a is 2 and b is 3 unless a line says otherwise.
#include "evaluate.hpp"

#include <cmath>

namespace {

using namespace test;

TEST(FormulaLanguage, Numbers) {
    expect_value("5", 5);
    expect_value("1_000", 1000);
    expect_value("010", 10);
    expect_value("0xff", 255);
    expect_value("0b101", 5);
    expect_value("0o17", 15);
    expect_value("1.5", 1.5);
    expect_value(".5", 0.5);
    expect_value("5.", 5);
    expect_value("1e3", 1000);
    expect_value("1.5e-1", 0.15);
}

TEST(FormulaLanguage, Arithmetic) {
    expect_value("a + b", 5);
    expect_value("a - b", -1);
    expect_value("a * b", 6);
    expect_value("b / a", 1.5);
    expect_value("7 / 2", 3.5);
    expect_value("7 % 3", 1);
    expect_value("-7 % 3", -1);
    expect_value("a ** b", 8);
    expect_value("a ^ b", 8);
    expect_value("+a", 2);
    expect_value("-a", -2);
    expect_value("int(b) % 2", 1);
}

TEST(FormulaLanguage, IntegersWrapAsIn64Bits) {
    expect_value("9223372036854775807 + 1", -9223372036854775808.0);
    expect_value("(-9223372036854775807 - 1) % -1", 0);
    expect_value("-(-9223372036854775807 - 1)", -9223372036854775808.0);
    expect_value("9223372036854775807 + 1.0", 9223372036854775808.0);
}

TEST(FormulaLanguage, Precedence) {
    expect_value("a + b * 4", 14);
    expect_value("(a + b) * 4", 20);
    expect_value("10 - 4 - 3", 3);
    expect_value("24 / 4 / 2", 3);
    expect_value("2 ^ 3 ^ 2", 512);
    expect_value("-a ^ 2", -4);
    expect_value("2 ^ -1", 0.5);
    expect_value("- - a", 2);
    expect_value("a < b and b < 4 or false ? 1 : 0", 1);
    expect_value("false and false or true ? 1 : 0", 1);
    expect_value("true or true and false ? 1 : 0", 1);
    expect_value("not (a > b) ? 1 : 0", 1);
    expect_value("1 + a ?? 7", 3);
    expect_value("1 + a ?? 7 + 10", 13);
}

TEST(FormulaLanguage, Comparisons) {
    expect_value("a < b ? 1 : 0", 1);
    expect_value("a <= 2 ? 1 : 0", 1);
    expect_value("a > b ? 1 : 0", 0);
    expect_value("a >= 2 ? 1 : 0", 1);
    expect_value("a == 2 ? 1 : 0", 1);
    expect_value("a != 2 ? 1 : 0", 0);
    expect_value("1 < a < 3 ? 1 : 0", 1);
    expect_value("1 < a < 2 ? 1 : 0", 0);
    expect_value("a < b == true ? 1 : 2", 1);
    expect_value("a < b != true ? 1 : 2", 2);
    expect_value("a == nil ? 1 : 0", 0);
    expect_value("9007199254740993 == 9007199254740992 ? 1 : 0", 0);
    expect_value("9007199254740993 == 9007199254740992.0 ? 1 : 0", 1);
    expect_value("[1, [a]] == [1.0, [2]] ? 1 : 0", 1);
    expect_value("[1, 2] == [1, 3] ? 1 : 0", 0);
    expect_value("[1] == [1, 2] ? 1 : 0", 0);
    expect_value("[true, nil] == [true, nil] ? 1 : 0", 1);
    expect_value("first([true]) == 1 ? 1 : 0", 0);
}

TEST(FormulaLanguage, TruthValues) {
    expect_value("true && false ? 1 : 0", 0);
    expect_value("true || false ? 1 : 0", 1);
    expect_value("true and not false ? 1 : 0", 1);
    expect_value("!true ? 1 : 0", 0);
    expect_value("false && 1 % 0 == 0 ? 1 : 0", 0);
    expect_value("true || 1 % 0 == 0 ? 1 : 0", 1);
}

TEST(FormulaLanguage, Conditions) {
    expect_value("a < 5 ? b + a : 5", 5);
    expect_value("a < 2 ? a+b >= 2 ? 5 : 10 : 0", 0);
    expect_value("a < 3 ? a+b >= 2 ? 5 : 10 : 0", 5);
    expect_value("a > 5 ? 1 : b > 5 ? 2 : 3", 3);
    expect_value("(first([true]) ?: false) ? 4 : 5", 4);
    expect_value("float(a < 5 ? b + a : 5)", 5);
}

TEST(FormulaLanguage, Nil) {
    expect_value("a ?? b ?? 5", 3, std::nullopt);
    expect_value("a ?? b ?? 5", 5, std::nullopt, std::nullopt);
    expect_value("(a ?? 1) + (b ?? 1)", 4, std::nullopt);
    expect_value("a == nil ? 7 : a ?? 0", 7, std::nullopt);
    EXPECT_TRUE(run("a ?? b", std::nullopt, std::nullopt).nil);
    EXPECT_TRUE(run("(a ?? nil)", std::nullopt).nil);
    EXPECT_TRUE(run("a ?? +a", std::nullopt).nil);
    expect_value("count(sort([a]), {# != 100})", 1, std::nullopt);
}

TEST(FormulaLanguage, Functions) {
    expect_value("abs(-a)", 2);
    expect_value("abs(-3)", 3);
    expect_value("ceil(1.2)", 2);
    expect_value("floor(-1.2)", -2);
    expect_value("round(2.5)", 3);
    expect_value("round(-2.5)", -3);
    expect_value("int(2.9)", 2);
    expect_value("int(-2.9)", -2);
    expect_value("float(7) / 2", 3.5);
    expect_value("min(a, b)", 2);
    expect_value("max(a, b, 10)", 10);
    expect_value("max(a, [b, [99]])", 99);
    expect_value("min([a, b], 1)", 1);
    expect_value("mean(a, b)", 2.5);
    expect_value("mean([a, [b, 4]])", 3);
    expect_value("mean([])", 0);
    expect_value("median(5, 1, [3])", 3);
    expect_value("median([a, b])", 2.5);
    expect_value("median([])", 0);
    expect_value("len([a, b, 1])", 3);
    expect_value("first([a, b])", 2);
    expect_value("last([a, b])", 3);
    expect_value("first([]) == nil ? 1 : 0", 1);
    expect_value("max([]) == nil ? 1 : 0", 1);
    expect_value("first(sort([3, a, 1.5]))", 1.5);
    expect_value("last(sort([3, a, 1.5]))", 3);
}

TEST(FormulaLanguage, Arrays) {
    expect_value("[a, b][1]", 3);
    expect_value("[a, b][-1]", 3);
    expect_value("[[a], [b]][1][0]", 3);
    expect_value("sum([a, b, 1,])", 6);
    expect_value("sum([])", 0);
}

// expr-lang/expr optimizer/sum_array.go @v1.17.8 makes a + (b + c) of it; (0.1 + 0.2) + 0.3 is 0.6000000000000001.
TEST(FormulaLanguage, AListThatIsWrittenOutIsAddedFromTheRight) {
    expect_value("sum([a * 0 + 0.1, 0.2, 0.3]) == 0.6 ? 1 : 0", 1);
    expect_value("sum([0.1, 0.2, 0.3]) == 0.6 ? 1 : 0", 0);
    expect_value("sum([-(0.1 - 0.2), 0.1 * 2, 0.3]) == 0.6 ? 1 : 0", 0);
    expect_value("sum(map([a * 0 + 0.1, 0.2, 0.3], #)) == 0.6 ? 1 : 0", 0);
    expect_value("let x = [a * 0 + 0.1, 0.2, 0.3]; sum(x) == 0.6 ? 1 : 0", 0);
    expect_value("sum([sum([a * 0 + 0.1, 0.2, 0.3]), a]) == 2.6 ? 1 : 0", 1);
}

TEST(FormulaLanguage, Predicates) {
    expect_value("count([a,b],{#>1}) > 1 ? 5 : 0", 5);
    expect_value("count([a, b], # > 2)", 1);
    expect_value("count([true, false, a > 1])", 2);
    expect_value("all([a, b], # > 1) ? 1 : 0", 1);
    expect_value("all([], # > 1) ? 1 : 0", 1);
    expect_value("any([a, b], # > 2) ? 1 : 0", 1);
    expect_value("any([], # > 2) ? 1 : 0", 0);
    expect_value("none([a, b], # > 2) ? 1 : 0", 0);
    expect_value("none([], # > 2) ? 1 : 0", 1);
    expect_value("one([a, b], # > 2) ? 1 : 0", 1);
    expect_value("one([a, b], # > 1) ? 1 : 0", 0);
    expect_value("sum(filter([a, b, 7], # > 2))", 10);
    expect_value("len(filter([a, b], # > 9))", 0);
    expect_value("sum(map([a, b], # * #))", 13);
    expect_value("sum([a, b], # * 10)", 50);
    expect_value("sum(map([a, b, 9], #index))", 3);
    expect_value("reduce([a, b, 4], #acc + #)", 9);
    expect_value("reduce([a, b], #acc * #, 10)", 60);
    expect_value("reduce([], #acc + #, 10)", 10);
    expect_value("reduce([5, 7], #acc + # * #index, 0)", 7);
}

TEST(FormulaLanguage, PredicatesNest) {
    expect_value("sum(map([[1, 2], [3]], sum(#)))", 6);
    expect_value("count([[a, 1], [b]], {any(#, {# > 2})})", 1);
    expect_value("sum(map([a, b], {let x = # * 2; x + count([1, 5], # > x)}))", 11);
    expect_value("sum(filter(map([a, b], # + 1), # > 3))", 4);
}

TEST(FormulaLanguage, LetAndPipes) {
    expect_value("let x = a + b; x * x", 25);
    expect_value("let x = a; let y = x + 1; x * y", 6);
    expect_value("[a, b] | max()", 3);
    expect_value("[a, b, 9] | filter(# > 2) | map(# * 2) | sum()", 24);
    expect_value("a | max(b) | float()", 3);
    expect_value("[1, a, b] | reduce(#acc + #, 100)", 106);
}

TEST(FormulaLanguage, BlanksAndComments) {
    expect_value("  a\n\t+ b ", 5);
    expect_value("a /* util */ + // memory\n b", 5);
}

TEST(FormulaLanguage, NamesOfAnyScript) {
    constexpr std::string_view names[] = {"загрузка", "$x_1"};
    const auto made = formula::compile("загрузка + $x_1", names);
    ASSERT_TRUE(made.ok()) << made.failure().message;
    const formula_variable values[] = {{1.5, false}, {2.0, false}};
    EXPECT_DOUBLE_EQ(made->evaluate(values).value, 3.5);
}

TEST(FormulaLanguage, DivisionByZeroIsAnInfinity) {
    EXPECT_TRUE(std::isinf(run("a / 0").value));
    EXPECT_TRUE(std::isnan(run("0 / 0").value));
    EXPECT_TRUE(std::isnan(run("max(0 / 0, a)").value)) << "NaN is not less than a";
    EXPECT_TRUE(std::isnan(run("first(sort([1, 0 / 0]))").value)) << "NaN sorts first";
}

TEST(FormulaLanguage, ATriggerNamedRStandsInTheWayOnlyInStrict) {
    constexpr std::string_view names[] = {"r", "a"};
    EXPECT_TRUE(formula::compile("r ?? a", names).ok());
    const auto keda = formula::compile("r ?? a", names, formula_mode::strict);
    ASSERT_FALSE(keda.ok());
    EXPECT_NE(keda.failure().message.find("cannot redeclare r"), std::string::npos);
}

TEST(FormulaLanguage, MissingValuesAreNil) {
    constexpr std::string_view names[] = {"a"};
    const auto made = formula::compile("a ?? 4", names);
    ASSERT_TRUE(made.ok());
    EXPECT_DOUBLE_EQ(made->evaluate({}).value, 4);
}

}  // namespace
