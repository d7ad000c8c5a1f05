// Numbers as Go and JSON read them, and as we print them.
#include "base/go_math.hpp"
#include "base/saturate.hpp"
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace gputide {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(GoBool, TakesExactlyGosWords) {
    for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) EXPECT_EQ(parse_go_bool(yes), true) << yes;
    for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) EXPECT_EQ(parse_go_bool(no), false) << no;
    for (const char* bad : {"", "yes", "tRUE", " true", "2", "on"}) EXPECT_EQ(parse_go_bool(bad), std::nullopt) << bad;
}

TEST(GoFloat, ReadsDecimals) {
    EXPECT_EQ(parse_go_float("42.5"), 42.5);
    EXPECT_EQ(parse_go_float("+1"), 1.0);
    EXPECT_EQ(parse_go_float(".5"), 0.5);
    EXPECT_EQ(parse_go_float("5."), 5.0);
    EXPECT_EQ(parse_go_float("05"), 5.0);
    EXPECT_EQ(parse_go_float("1e3"), 1000.0);
    EXPECT_EQ(parse_go_float("1E+3"), 1000.0);
    EXPECT_EQ(parse_go_float("-1.5e-3"), -0.0015);
    EXPECT_EQ(parse_go_float("0.1"), 0.1);
}

// Halfway and just beside it, subnormals, and the edges of the range; expected values as Go's own tests have them.
TEST(GoFloat, RoundsCorrectly) {
    EXPECT_EQ(parse_go_float("1.00000000000000011102230246251565404236316680908203125"), 1.0);
    EXPECT_EQ(parse_go_float("1.00000000000000011102230246251565404236316680908203126"), 1.0000000000000002);
    EXPECT_EQ(
        parse_go_float("1.00000000000000011102230246251565404236316680908203125" + std::string(10'000, '0') + "1"),
        1.0000000000000002);
    EXPECT_EQ(parse_go_float("2.2250738585072012e-308"), 2.2250738585072014e-308);
    EXPECT_EQ(parse_go_float("5e-324"), 5e-324);
    EXPECT_EQ(parse_go_float("1.7976931348623157e308"), std::numeric_limits<double>::max());
    EXPECT_EQ(parse_go_float("1.7976931348623158e308"), std::numeric_limits<double>::max());
    EXPECT_EQ(parse_go_float("1.797693134862315808e308"), std::nullopt) << "halfway to 2^1024 is an overflow";
}

TEST(GoFloat, OverflowIsNothingAndUnderflowIsZero) {
    for (const char* over :
         {"1e400", "-1e400", "1e309", "1e99999999999999999999", "0x1p1024", "0x1p99999999999999999999"}) {
        EXPECT_EQ(parse_go_float(over), std::nullopt) << over;
    }
    EXPECT_EQ(parse_go_float(std::string(400, '9')), std::nullopt);
    for (const char* under :
         {"1e-400", "1e-324", "1e-99999999999999999999", "0x1p-1076", "0x1p-99999999999999999999"}) {
        EXPECT_EQ(parse_go_float(under), 0.0) << under;
    }
    EXPECT_EQ(parse_go_float("0." + std::string(500, '0') + "1"), 0.0);
    EXPECT_EQ(parse_go_float("0." + std::string(500, '0') + "1e501"), 1.0);
    EXPECT_EQ(parse_go_float("1" + std::string(500, '0') + "e-500"), 1.0);
    EXPECT_EQ(parse_go_float("0e400"), 0.0);
    EXPECT_EQ(parse_go_float("0x0p99999999999999999999"), 0.0);
}

TEST(GoFloat, KeepsTheSignOfZero) {
    EXPECT_TRUE(std::signbit(parse_go_float("-0").value()));
    EXPECT_TRUE(std::signbit(parse_go_float("-1e-400").value()));
    EXPECT_TRUE(std::signbit(parse_go_float("-0x0p0").value()));
    EXPECT_FALSE(std::signbit(parse_go_float("+0").value()));
}

TEST(GoFloat, ReadsHex) {
    EXPECT_EQ(parse_go_float("0x1p-2"), 0.25);
    EXPECT_EQ(parse_go_float("-0X1.8P+1"), -3.0);
    EXPECT_EQ(parse_go_float("0x.8p0"), 0.5);
    EXPECT_EQ(parse_go_float("0x1.p0"), 1.0);
    EXPECT_EQ(parse_go_float("0x1.fffffffffffffp1023"), std::numeric_limits<double>::max());
    EXPECT_EQ(parse_go_float("0x1.fffffffffffff4p1023"), std::numeric_limits<double>::max());
    EXPECT_EQ(parse_go_float("0x1.fffffffffffff8p1023"), std::nullopt);
    EXPECT_EQ(parse_go_float("0x1p-1074"), 5e-324);
    EXPECT_EQ(parse_go_float("0x1.00000000000008p0"), 1.0) << "a tie goes to even";
    EXPECT_EQ(parse_go_float("0x1.00000000000008" + std::string(10'000, '0') + "1p0"), 1.0000000000000002);
    EXPECT_EQ(parse_go_float("0x1.00000000000018p0"), 1.0000000000000004);
    EXPECT_EQ(parse_go_float("0x1p4294967296"), std::nullopt) << "an exponent is not cut to 32 bits";
    for (const char* bad : {"0x1", "0x", "0xp1", "0x1p", "0x1p+", "0x1pa", "0x1e2", "1p3", "0x1.8"}) {
        EXPECT_EQ(parse_go_float(bad), std::nullopt) << bad;
    }
}

TEST(GoFloat, ReadsNamesOfWhatIsNoNumber) {
    for (const char* text : {"inf", "+Inf", "INF", "infinity", "+Infinity", "iNfInItY"}) {
        EXPECT_EQ(parse_go_float(text), infinity) << text;
    }
    EXPECT_EQ(parse_go_float("-inf"), -infinity);
    EXPECT_EQ(parse_go_float("-Infinity"), -infinity);
    EXPECT_TRUE(std::isnan(parse_go_float("NaN").value()));
    EXPECT_TRUE(std::isnan(parse_go_float("nan").value()));
    for (const char* bad : {"+nan", "-NaN", "nan(1)", "infinit", "in", "i", "infinityx"}) {
        EXPECT_EQ(parse_go_float(bad), std::nullopt) << bad;
    }
}

TEST(GoFloat, RefusesEverythingElse) {
    for (const char* bad : {"",    "+",   "-",     ".",   "-.",  "e3", ".e3", "1e",  "1e+",   " 1", "1 ",
                            "1\n", "1,5", "1.5.5", "--1", "+-1", "1a", "0b1", "0o7", "1_000", "１", "1e1.5"}) {
        EXPECT_EQ(parse_go_float(bad), std::nullopt) << in_quotes(bad);
    }
    EXPECT_EQ(parse_go_float(std::string_view("1\0", 2)), std::nullopt);
}

TEST(GoFloat, ReadsDigitSeparatorsWhereAsked) {
    EXPECT_EQ(parse_go_float("1_23.50_0_0e+1_2", true), 1.235e14);
    EXPECT_EQ(parse_go_float("0x_1_2.3_4_5p+1_2", true), 74565.0);
    EXPECT_EQ(parse_go_float("-1_000", true), -1000.0);
    EXPECT_EQ(parse_go_float("42", true), 42.0);
    for (const char* bad : {"_1", "1_", "-_1", "1__2", "1_.5", "1._5", "1_e5", "1e_5", "1e+_5", "1e5_", "_0x1p1",
                            "0_x1p1", "0x__1p1", "0x1_p1", "0x1p_1", "_", "i_nf", "n_an"}) {
        EXPECT_EQ(parse_go_float(bad, true), std::nullopt) << bad;
    }
}

TEST(JsonNumber, TakesTheJsonGrammarAlone) {
    EXPECT_EQ(parse_json_number("5"), 5.0);
    EXPECT_EQ(parse_json_number("-1.5"), -1.5);
    EXPECT_EQ(parse_json_number("1e3"), 1000.0);
    EXPECT_EQ(parse_json_number("0"), 0.0);
    EXPECT_EQ(parse_json_number("0.25E-2"), 0.0025);
    EXPECT_EQ(parse_json_number("1e-400"), 0.0);
    for (const char* bad : {"",    "-",   ".5",   "5.",    "5.e1", "+5",   "05",    "-05", "00", "0x10", "1_000",
                            "NaN", "Inf", "-Inf", "\"5\"", "true", "null", "1e400", "1e",  " 5", "5 ",   "1.2.3"}) {
        EXPECT_EQ(parse_json_number(bad), std::nullopt) << bad;
    }
}

TEST(Int64, IsReadWhole) {
    EXPECT_EQ(parse_int64("0"), 0);
    EXPECT_EQ(parse_int64("-5"), -5);
    EXPECT_EQ(parse_int64("+5"), 5);
    EXPECT_EQ(parse_int64("007"), 7);
    EXPECT_EQ(parse_int64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(parse_int64("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    for (const char* bad : {"", "+", "-", "+-5", "--5", "++5", " 5", "5 ", "5.0", "1e3", "0x5", "9223372036854775808",
                            "-9223372036854775809"}) {
        EXPECT_EQ(parse_int64(bad), std::nullopt) << bad;
    }
}

TEST(Shortest, ReadsAsGoPrints) {
    EXPECT_EQ(shortest(42.5), "42.5");
    EXPECT_EQ(shortest(100000), "100000");
    EXPECT_EQ(shortest(123456789), "123456789");
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(-0.0015), "-0.0015");
    EXPECT_EQ(shortest(0.0001), "0.0001");
    EXPECT_EQ(shortest(0.00001), "1e-05");
    EXPECT_EQ(shortest(1e20), "100000000000000000000");
    EXPECT_EQ(shortest(1e21), "1e+21");
    EXPECT_EQ(shortest(-1.5e300), "-1.5e+300");
    EXPECT_EQ(shortest(0.0), "0");
    EXPECT_EQ(shortest(-0.0), "-0");
    EXPECT_EQ(shortest(std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(shortest(infinity), "+Inf");
    EXPECT_EQ(shortest(-infinity), "-Inf");
}

TEST(Shortest, ReadsBackToTheSameDouble) {
    std::mt19937_64 random(20261121);
    for (int i = 0; i < 20'000; ++i) {
        const double value = std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 400) - 260);
        EXPECT_EQ(parse_go_float(shortest(value)), value);
    }
}

}  // namespace

// Sums, differences and products that would wrap.

namespace {

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

TEST(saturate, sums_stop_at_the_bounds) {
    EXPECT_EQ(add_saturating(highest, 1), highest);
    EXPECT_EQ(add_saturating(1, highest), highest);
    EXPECT_EQ(add_saturating(-highest, -2), lowest);
    EXPECT_EQ(add_saturating(highest, lowest), -1);
}

TEST(saturate, differences_stop_at_the_bounds) {
    EXPECT_EQ(subtract_saturating(-highest, 5), lowest);
    EXPECT_EQ(subtract_saturating(0, lowest), highest) << "it has no positive twin";
    EXPECT_EQ(subtract_saturating(-1, lowest), highest);
}

TEST(saturate, products_stop_at_the_bounds) {
    EXPECT_EQ(multiply_saturating(highest, 100), highest);
    EXPECT_EQ(multiply_saturating(highest, -100), lowest);
    EXPECT_EQ(multiply_saturating(lowest, -1), highest);
    EXPECT_EQ(multiply_saturating(lowest, 0), 0);
}

// Expected bits: Go 1.26.8 on amd64, math.Exp2 and math.Pow.  Those of glibc differ in the last place for most of them.

void expect_bits(double value, std::uint64_t bits, double x) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), bits) << "of " << x;
}

TEST(GoMath, Exp2ToTheLastBit) {
    struct point {
        double x;
        std::uint64_t bits;
    };
    for (const auto& [x, bits] :
         {point{0.0, 0x3ff0000000000000}, point{0.5, 0x3ff6a09e667f3bcc}, point{-0.5, 0x3fe6a09e667f3bcc},
          point{13.37, 0x40c4ad7a2967b264}, point{99.999, 0x462ffa52de61c101}, point{-73.25, 0x3b5ae89f995ad3ae},
          point{1023.9, 0x7feddb680117aa8e}, point{-1074.0, 0x1}, point{0.0416666666666667, 0x3ff078059f4155d1}})
        expect_bits(go_exp2(x), bits, x);
    EXPECT_EQ(go_exp2(1024.0), std::numeric_limits<double>::infinity());
    EXPECT_EQ(go_exp2(-1075.0), 0.0);
    EXPECT_TRUE(std::isnan(go_exp2(std::nan(""))));
}

TEST(GoMath, PowOfAWholeExponentToTheLastBit) {
    struct point {
        double x, y;
        std::uint64_t bits;
    };
    for (const auto& [x, y, bits] :
         {point{1.05, 175, 0x40b3f28c0b1c2558}, point{1.05, 17, 0x4002560db3264e96},
          point{1.001, -2, 0x3fefefa3faa4d8d6}, point{3, 2, 0x4022000000000000}, point{-2.5, 3, 0xc02f400000000000},
          point{7.1, -5, 0x3f0d0f0fb37cbbcb}, point{2, 0.5, 0x3ff6a09e667f3bcd}, point{1.1, 1000, 0x4886aec8cd64ab4d},
          point{10, 308, 0x7fe1ccf385ebc8a3}, point{10, -320, 0x7e8}, point{0.7, 33, 0x3ee0368bafa68e57}})
        expect_bits(go_pow(x, y), bits, x);
    EXPECT_EQ(go_pow(2, 5000), std::numeric_limits<double>::infinity());
    EXPECT_EQ(go_pow(2, -5000), 0.0);
    EXPECT_EQ(go_pow(0, -1), std::numeric_limits<double>::infinity());
    EXPECT_EQ(go_pow(0, 0), 1.0);
    EXPECT_TRUE(std::isnan(go_pow(-8, 1.0 / 3)));
}

}  // namespace

}  // namespace gputide
