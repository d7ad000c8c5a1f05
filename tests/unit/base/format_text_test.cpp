#include "base/format_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace gputide {
namespace {

TEST(FormatText, PutsEachValueInItsPlace) {
    const std::string owned = "queue";
    EXPECT_EQ(format_text("{} of {}: {} of {}", owned, std::string_view("a-name").substr(2), 3, "4"),
              "queue of name: 3 of 4");
}

TEST(FormatText, TakesNoPlaceForGrantedInValues) {
    EXPECT_EQ(format_text("{}{}", "{}", "x"), "{}x");
    EXPECT_EQ(format_text("{\"a\":{}}", 1), "{\"a\":1}");
}

TEST(FormatText, TellsAnEmptyTextFromANumber) {
    EXPECT_EQ(format_text("[{}][{}][{}]", std::string_view(), "", 0), "[][][0]");
}

TEST(FormatText, WritesWholeNumbersOfEverySign) {
    EXPECT_EQ(format_text("{} {} {}", std::numeric_limits<std::int64_t>::min(), -1,
                          std::numeric_limits<std::uint32_t>::max()),
              "-9223372036854775808 -1 4294967295");
}

TEST(FormatText, HasAFunctionForUpToEightValues) {
    EXPECT_EQ(format_text("{}", 1), "1");
    EXPECT_EQ(format_text("{}{}", 1, 2), "12");
    EXPECT_EQ(format_text("{}{}{}", 1, 2, 3), "123");
    EXPECT_EQ(format_text("{}{}{}{}", 1, 2, 3, 4), "1234");
    EXPECT_EQ(format_text("{}{}{}{}{}", 1, 2, 3, 4, 5), "12345");
    EXPECT_EQ(format_text("{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6), "123456");
    EXPECT_EQ(format_text("{}{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6, 7), "1234567");
    EXPECT_EQ(format_text("{}{}{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6, 7, 8), "12345678");
}

}  // namespace
}  // namespace gputide
