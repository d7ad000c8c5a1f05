// A metric value as the quantity that KEDA hands to the HPA.
#include "base/quantity.hpp"
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

namespace gputide {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

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

TEST(KedaMilli, HoldsAtInt64AndTheTextDoesNot) {
    EXPECT_EQ(keda_milli(9.2e15), 9'200'000'000'000'000'000);
    EXPECT_EQ(keda_milli(9.3e15), most);
    EXPECT_EQ(keda_milli(1.7976931348623157e308), most);
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
    EXPECT_EQ(keda_milli(value), parse_int64(text).value_or(most)) << value;
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
