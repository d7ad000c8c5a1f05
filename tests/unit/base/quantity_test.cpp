// Kubernetes quantities.  The many texts of tests/cases/k8s-quantity.json run in gputide_conformance; here are the edges.
#include "base/quantity.hpp"

#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

namespace gputide {

namespace {

constexpr std::int64_t int64_most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_least = std::numeric_limits<std::int64_t>::min();

std::int64_t milli_of(std::string_view text) {
    const result<quantity> got = parse_quantity(text);
    EXPECT_TRUE(got.ok()) << text;
    return got ? got->milli : -424242;
}

TEST(Quantity, CountsInThousandths) {
    EXPECT_EQ(milli_of("100m"), 100);
    EXPECT_EQ(milli_of("5"), 5000);
    EXPECT_EQ(milli_of("1.5Gi"), 1'610'612'736'000);
    EXPECT_EQ(milli_of("1e3"), 1'000'000);
    EXPECT_EQ(milli_of("1E"), int64_most) << "exa, not an exponent";
    EXPECT_EQ(milli_of("1E1"), 10'000);
    EXPECT_EQ(milli_of("-0"), 0);
}

TEST(Quantity, RoundsAwayFromZero) {
    EXPECT_EQ(milli_of("0.0001"), 1);
    EXPECT_EQ(milli_of("-0.0001"), -1);
    EXPECT_EQ(milli_of("1001u"), 2);
    EXPECT_EQ(milli_of("0.0001Ki"), 103);
    EXPECT_EQ(milli_of("-1.0000000001"), -1001);
    EXPECT_EQ(milli_of("1e-99999"), 1);
    EXPECT_EQ(parse_quantity("-1500m")->value_up, -2);
    EXPECT_EQ(parse_quantity("1n")->value_up, 1);
    EXPECT_EQ(parse_quantity("0n")->value_up, 0);
}

// kubernetes/apimachinery pkg/api/resource/quantity.go (AsApproximateFloat64), of the text that the API server stores.
TEST(Quantity, IsApproximatedAsTheApiServerStoresIt) {
    const std::vector<std::pair<const char*, double>> rows{{"0.0125", 12500 * 1e-6},
                                                           {"12500u", 12500 * 1e-6},
                                                           {"0.118", 118 * 0.001},
                                                           {"118m", 118 * 0.001},
                                                           {"9m", 9 * 0.001},
                                                           {"333333334n", 333333334 * 1e-9},
                                                           {"0", 0.0},
                                                           {"0.0000000001", 1e-9},
                                                           {"-0.05", -50 * 0.001},
                                                           {"1", 1.0},
                                                           {"1000", 1000.0},
                                                           {"1.5", 1500 * 0.001},
                                                           {"1Ki", 1024.0},
                                                           {"125e-4", 12500 * 1e-6},
                                                           {"2k", 2000.0},
                                                           {"0.10", 100 * 0.001}};
    for (const auto& [text, expected] : rows) EXPECT_EQ(*approximate_quantity(text), expected) << text;
    EXPECT_FALSE(approximate_quantity("much"));
}

TEST(Quantity, HoldsAtTheBoundsOfInt64) {
    EXPECT_EQ(milli_of("9223372036854775.807"), int64_most);
    EXPECT_FALSE(parse_quantity("9223372036854775.807")->milli_overflow);
    EXPECT_EQ(milli_of("-9223372036854775.808"), int64_least);
    EXPECT_FALSE(parse_quantity("-9223372036854775.808")->milli_overflow);
    for (const char* over :
         {"9223372036854775.808", "9223372036854775.8070001", "1e99999", "16Ei", "123456789012345678901234567890"}) {
        EXPECT_EQ(milli_of(over), int64_most) << over;
        EXPECT_TRUE(parse_quantity(over)->milli_overflow) << over;
    }
    for (const char* under : {"-9223372036854775.809", "-9223372036854775.8080001", "-1e99999", "-16Ei"}) {
        EXPECT_EQ(milli_of(under), int64_least) << under;
        EXPECT_TRUE(parse_quantity(under)->milli_overflow) << under;
    }
    EXPECT_EQ(parse_quantity("9223372036854775807")->value_up, int64_most);
    EXPECT_EQ(parse_quantity("9223372036854775807.1")->value_up, int64_most);
    EXPECT_EQ(parse_quantity("-9223372036854775808")->value_up, int64_least);
    EXPECT_EQ(parse_quantity("8Ei")->value_up, int64_most);
    EXPECT_EQ(parse_quantity("7Ei")->value_up, std::int64_t{7} << 60);
}

TEST(Quantity, IsExactForManyDigits) {
    // 900 digits; the last alone keeps the value above 5.
    EXPECT_EQ(milli_of("5." + std::string(900, '0') + "1"), 5001);
    EXPECT_EQ(milli_of("5." + std::string(900, '0')), 5000);
    EXPECT_EQ(milli_of(std::string(900, '0') + "7"), 7000);
    EXPECT_EQ(milli_of("1" + std::string(900, '0') + "e-900"), 1000);
    EXPECT_EQ(milli_of("0." + std::string(900, '0') + "1e901"), 1000);
    EXPECT_EQ(milli_of("0." + std::string(900, '0') + "1Ei"), 1);
    EXPECT_EQ(milli_of("0." + std::string(900, '0') + "e99999"), 0) << "zero stays zero at any scale";
}

TEST(Quantity, RefusesWhatIsNone) {
    for (const char* bad : {"",    " ",    "abc", " 5",    "5 ",   "1 k",   "1e",  "1e+",  "1EE3", "5K", "1ki",
                            "1KI", "0x10", "1,5", "1..5",  "NaN",  "Inf",   ".",   "-",    "+",    "+.", "m",
                            "Ki",  "e3",   "--5", "1e1.5", "1e3m", "1e3Ki", "1mm", "1Mib", "１"}) {
        EXPECT_FALSE(parse_quantity(bad)) << bad;
    }
    EXPECT_FALSE(parse_quantity(std::string_view("1\0", 2)));
}

TEST(Quantity, BoundsItsInput) {
    EXPECT_TRUE(parse_quantity(std::string(1'000, '1')).ok());
    EXPECT_FALSE(parse_quantity(std::string(1'001, '1')));
    EXPECT_TRUE(parse_quantity("1e99999").ok());
    EXPECT_FALSE(parse_quantity("1e100000"));
    EXPECT_FALSE(parse_quantity("1e-100000"));
    EXPECT_EQ(milli_of("1e0000000003"), 1'000'000) << "leading zeros do not make an exponent large";
}

TEST(Quantity, AnswersAtOnceWhateverComes) {
    const std::string digits(990, '9');
    for (int i = 0; i < 100; ++i) {  // minutes, if the work grew with the exponent
        EXPECT_TRUE(parse_quantity(digits + "e-99999").ok());
        EXPECT_TRUE(parse_quantity(digits + "Ei").ok());
        EXPECT_TRUE(parse_quantity("0e99999").ok());
    }
}

TEST(Quantity, ErrorNamesTheTextAndTheRemedy) {
    const result<quantity> got = parse_quantity("5K");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::invalid);
    EXPECT_EQ(got.failure().message, "expected a quantity such as 100m, 5, 1.5Gi or 1e3, got \"5K\"");
    EXPECT_EQ(parse_quantity(std::string(1'001, '1')).failure().message,
              "expected a quantity of at most 1000 characters, got 1001");
}

}  // namespace

// A metric value as the quantity that KEDA hands to the HPA.

namespace {

constexpr std::int64_t max_milli = std::numeric_limits<std::int64_t>::max();

TEST(KedaMilli, RoundsToTheNearestWithTiesToEven) {
    EXPECT_EQ(keda_milli(42.5), 42'500);
    EXPECT_EQ(keda_milli(2.0005), 2001) << "its binary value is just above the tie";
    EXPECT_EQ(keda_milli(1.0005), 1000) << "just below";
    EXPECT_EQ(keda_milli(0.0004), 0);
    EXPECT_EQ(keda_milli(0.0005), 1) << "just above";
    EXPECT_EQ(keda_milli(0.0625), 62) << "an exact tie";
    EXPECT_EQ(keda_milli(0.1875), 188) << "an exact tie";
    EXPECT_EQ(keda_milli(1234.5678), 1'234'568);
    EXPECT_EQ(keda_milli(5e-324), 0);
}

TEST(KedaMilli, ReadsWhatIsNoPositiveNumberAsZero) {
    for (const double value : {0.0, -0.0, -1.0, -9.3e15, -5e-324, std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
                               -std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(keda_milli(value), 0) << value;
        EXPECT_EQ(keda_milli_text(value), "0") << value;
    }
}

TEST(BytesText, HasAUnitForPeople) {
    EXPECT_EQ(bytes_text(15'936'073'009), "14.8 GiB");
    EXPECT_EQ(bytes_text(343'597'383'680), "320 GiB");
    EXPECT_EQ(bytes_text(512 << 20), "512 MiB");
    EXPECT_EQ(bytes_text(900), "900 bytes");
    EXPECT_EQ(bytes_text(0), "0 bytes");
}

TEST(KedaMilli, HoldsAtInt64AndTheTextDoesNot) {
    EXPECT_EQ(keda_milli(9.2e15), 9'200'000'000'000'000'000);
    EXPECT_EQ(keda_milli(9.3e15), max_milli);
    EXPECT_EQ(keda_milli(1.7976931348623157e308), max_milli);
    EXPECT_EQ(keda_milli_text(9.3e15), "9300000000000000000");
    EXPECT_EQ(keda_milli_text(1e18), "1000000000000000000000");
    EXPECT_EQ(keda_milli_text(1.7976931348623157e308).size(), 312U);
    EXPECT_EQ(keda_milli_text(0.0004), "0");
    EXPECT_EQ(keda_milli_text(0.0625), "62");
}

// The C library's %.3f rounds correctly too and is written by others.
std::string printed(double value) {
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, "%.3f", value);
    std::string digits(buffer);
    digits.erase(digits.size() - 4, 1);
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? "0" : digits.substr(first);
}

void expect_as_printed(double value) {
    const std::string text = printed(value);
    EXPECT_EQ(keda_milli_text(value), text) << value;
    EXPECT_EQ(keda_milli(value), parse_int64(text).value_or(max_milli)) << value;
}

TEST(KedaMilli, AgreesWithPrintfOnRandomValues) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 50'000; ++i) {
        expect_as_printed(std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 90) - 75));
    }
}

TEST(KedaMilli, AgreesWithPrintfAroundTies) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 50'000; ++i) {
        const double tie = static_cast<double>(random() % 10'000'000) / 1000.0 + 0.0005;
        for (const double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 1e300)}) expect_as_printed(value);
        expect_as_printed(static_cast<double>(random() % 100'000) / 16.0);  // every second one an exact tie
    }
}

TEST(KedaMilli, AgreesWithPrintfWhereDoublesGetCoarse) {
    for (const double start :
         {0x1p41, 0x1p42, 0x1p43, 0x1p52, 4503599627370.496, 4503599627370.495, 9007199254740.992}) {
        double value = start;
        for (int i = 0; i < 200; ++i) value = std::nextafter(value, 0.0);
        for (int i = 0; i < 400; ++i) expect_as_printed(value = std::nextafter(value, 1e300));
    }
}

}  // namespace

}  // namespace gputide
