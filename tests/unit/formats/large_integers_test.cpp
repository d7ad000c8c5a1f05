// Integers that 64 bits do not hold.
#include "formats/json/scratch.hpp"

#include <gtest/gtest.h>

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
