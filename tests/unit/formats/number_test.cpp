// Values of the exposition formats: what is taken, what is refused, and that the short way equals the long one.
#include "formats/exposition/number.hpp"

#include "base/text.hpp"
#include "formats/json/scratch.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

namespace gputide::formats::exposition {

namespace {

std::string read(const std::string& text) {
    double value = 0.0;
    const char* end = scan_value(text.data(), text.data() + text.size(), value);
    if (end == nullptr) return "refused";
    return shortest(value) + (end == text.data() + text.size() ? "" : " then more");
}

TEST(number, takes_decimal_forms) {
    EXPECT_EQ(read("1"), "1");
    EXPECT_EQ(read("+7"), "7");
    EXPECT_EQ(read("-2.5e3"), "-2500");
    EXPECT_EQ(read(".5"), "0.5");
    EXPECT_EQ(read("5."), "5");
    EXPECT_EQ(read("00012"), "12");
    EXPECT_EQ(read("-0"), "-0");
    EXPECT_EQ(read("1e-400"), "0");
    EXPECT_EQ(read("0.812000"), "0.812");
    EXPECT_EQ(read("9223372036854775794"), "9223372036854776000");  // 2^63
    EXPECT_EQ(read("140737488355328.000000"), "140737488355328");
}

TEST(number, takes_words_in_any_letter_case) {
    EXPECT_EQ(read("NaN"), "NaN");
    EXPECT_EQ(read("nAN"), "NaN");
    EXPECT_EQ(read("+inf"), "+Inf");
    EXPECT_EQ(read("-Infinity"), "-Inf");
}

TEST(number, refuses_what_is_no_plain_decimal) {
    for (const char* text : {"",    "-",    "+",    ".",    "1e",    "1x",  "0x10",  "0x1p-3", "1_000",  "0b1",
                             "1,5", "true", "+NaN", "-nan", "1e400", "--1", "1.2.3", "1\r",    "nan(1)", "infinit"}) {
        EXPECT_EQ(read(text), "refused") << text;
    }
}

TEST(number, ends_before_blanks_and_line_feeds) {
    EXPECT_EQ(read("1 2"), "1 then more");
    EXPECT_EQ(read("1\n"), "1 then more");
    EXPECT_EQ(read("NaN\t1"), "NaN then more");
}

TEST(number, the_short_way_rounds_as_the_long_one) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 100'000; ++i) {
        std::string text = std::to_string(random() % 10'000'000'000'000'000ULL);
        text.insert(random() % (text.size() + 1), ".");
        double value = 0.0;
        ASSERT_NE(scan_value(text.data(), text.data() + text.size(), value), nullptr) << text;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(*parse_go_float(text))) << text;
    }
}

}  // namespace

}  // namespace gputide::formats::exposition

// Integers that 64 bits do not hold.
namespace gputide::formats {

namespace {

TEST(LargeIntegers, AloneBecomeDoubles) {
    EXPECT_EQ(large_integers_as_doubles(
                  R"({"a":18446744073709551616,"b":[-9223372036854775809, 18446744073709551615],"c":1e30,"d":-1})"),
              R"({"a":18446744073709551616.0,"b":[-9223372036854775809.0, 18446744073709551615],"c":1e30,"d":-1})");
    EXPECT_EQ(large_integers_as_doubles("99999999999999999999"), "99999999999999999999.0");
}

TEST(LargeIntegers, InTextsStay) {
    EXPECT_EQ(large_integers_as_doubles(R"({"a":"99999999999999999999","b\\":"\"99999999999999999999"})"),
              std::nullopt);
    EXPECT_EQ(large_integers_as_doubles(R"({"a":"\\\"9","b":99999999999999999999})"),
              R"({"a":"\\\"9","b":99999999999999999999.0})");
}

TEST(LargeIntegers, OfTextsThatAreNotJsonAreFoundToo) {
    for (const char* const text :
         {"", "\"", "-", "\"99999999999999999999", "\"\\", "1.5", "9223372036854775808", "{\"a\":1-2}"}) {
        EXPECT_EQ(large_integers_as_doubles(text), std::nullopt) << text;
    }
}

}  // namespace

}  // namespace gputide::formats
