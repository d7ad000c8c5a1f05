// Random formulas against their direct evaluation: text and value are made side by side, by rules written apart from the
// library's.  The seed is fixed; a failure prints its formula.
#include "evaluate.hpp"

#include <cmath>
#include <random>
#include <string>
#include <variant>

namespace {

using namespace test;

// int and float as expr-lang tells them apart.
using operand = std::variant<std::int64_t, double>;

double as_double(const operand& of) {
    return std::holds_alternative<double>(of) ? std::get<double>(of) : static_cast<double>(std::get<std::int64_t>(of));
}

bool both_whole(const operand& x, const operand& y) {
    return std::holds_alternative<std::int64_t>(x) && std::holds_alternative<std::int64_t>(y);
}

struct piece {
    std::string text;
    operand value;
};

class generator {
  public:
    explicit generator(unsigned seed) : random_(seed) {}

    double a = 0.0;
    double b = 0.0;

    void choose_values() {
        a = quarter();
        b = quarter();
    }

    piece expression(int depth) {
        if (depth == 0) return leaf();
        switch (below(9)) {
            case 0:
                return leaf();
            case 1:
                return sum(depth, '+');
            case 2:
                return sum(depth, '-');
            case 3:
                return sum(depth, '*');
            case 4:
                return quotient(depth);
            case 5:
                return extreme(depth);
            case 6:
                return condition(depth);
            case 7:
                return rounded(depth);
            default:
                return counted(depth);
        }
    }

  private:
    int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
    double quarter() { return (below(81) - 40) / 4.0; }  // exact in binary, so that products of a few stay exact

    piece leaf() {
        switch (below(4)) {
            case 0:
                return {"a", a};
            case 1:
                return {"b", b};
            case 2: {
                const int whole = below(10);
                return {std::to_string(whole), std::int64_t{whole}};
            }
            default: {
                const int tenths = below(40);
                return {std::to_string(tenths / 4) + (tenths % 4 == 0   ? ".0"
                                                      : tenths % 4 == 1 ? ".25"
                                                      : tenths % 4 == 2 ? ".5"
                                                                        : ".75"),
                        tenths / 4.0};
            }
        }
    }

    piece sum(int depth, char sign) {
        const piece x = expression(depth - 1);
        const piece y = expression(depth - 1);
        const std::string text = "(" + x.text + " " + sign + " " + y.text + ")";
        if (!both_whole(x.value, y.value)) return {text, plain(sign, as_double(x.value), as_double(y.value))};
        const std::int64_t left = std::get<std::int64_t>(x.value);
        const std::int64_t right = std::get<std::int64_t>(y.value);
        return {text, plain(sign, left, right)};
    }

    template <class T>
    static T plain(char sign, T x, T y) {
        return sign == '+' ? x + y : sign == '-' ? x - y : x * y;
    }

    piece quotient(int depth) {
        const piece x = expression(depth - 1);
        const piece y = expression(depth - 1);
        return {"(" + x.text + " / " + y.text + ")", as_double(x.value) / as_double(y.value)};
    }

    piece extreme(int depth) {
        const piece x = expression(depth - 1);
        const piece y = expression(depth - 1);
        const bool less = both_whole(x.value, y.value)
                              ? std::get<std::int64_t>(x.value) < std::get<std::int64_t>(y.value)
                              : as_double(x.value) < as_double(y.value);
        return {"max(" + x.text + ", [" + y.text + "])", less ? y.value : x.value};
    }

    piece condition(int depth) {
        const piece x = expression(depth - 1);
        const piece y = expression(depth - 1);
        const piece then = expression(depth - 1);
        const piece otherwise = expression(depth - 1);
        const bool holds = as_double(x.value) <= as_double(y.value);
        return {"(" + x.text + " <= " + y.text + " ? " + then.text + " : " + otherwise.text + ")",
                holds ? then.value : otherwise.value};
    }

    piece rounded(int depth) {
        const piece x = expression(depth - 1);
        if (below(2) == 0) return {"ceil(" + x.text + ")", std::ceil(as_double(x.value))};
        return {"(-(" + x.text + "))", std::holds_alternative<double>(x.value)
                                           ? operand(-std::get<double>(x.value))
                                           : operand(-std::get<std::int64_t>(x.value))};
    }

    piece counted(int depth) {
        const piece x = expression(depth - 1);
        const piece y = expression(depth - 1);
        const std::int64_t above = (as_double(x.value) > 1.5 ? 1 : 0) + (as_double(y.value) > 1.5 ? 1 : 0);
        return {"count([" + x.text + ", " + y.text + "], {# > 1.5})", above};
    }

    std::mt19937 random_;
};

// Trials at -1 and the values themselves may divide by zero: an infinity or NaN is a value too and must agree.
bool agree(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

TEST(FormulaRandom, AgreesWithDirectEvaluation) {
    constexpr std::string_view names[] = {"a", "b"};
    generator make(20'261'121);
    int compiled = 0;
    for (int i = 0; i < 4000; ++i) {
        make.choose_values();
        const piece entry = make.expression(1 + i % 4);
        const auto made = formula::compile(entry.text, names);
        if (entry.text.size() > 4000) continue;
        ASSERT_TRUE(made.ok()) << entry.text << ": " << made.failure().message;
        const formula_variable values[] = {{make.a, false}, {make.b, false}};
        const formula_result got = made->evaluate(values);
        ASSERT_EQ(got.failure.error, formula_error::none) << entry.text;
        ASSERT_TRUE(agree(got.value, as_double(entry.value)))
            << entry.text << " at a=" << make.a << " b=" << make.b << ": " << got.value;
        ++compiled;
    }
    EXPECT_GT(compiled, 3900);
}

}  // namespace
