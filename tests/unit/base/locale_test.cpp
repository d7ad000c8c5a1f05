// A host may run in a locale with a decimal comma and point groups; no number of ours may change with it.
#include "base/json_writer.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <string>

namespace gputide {
namespace {

struct comma_numbers : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

class CommaLocale : public testing::Test {
  protected:
    void SetUp() override {
        std::locale::global(std::locale(std::locale::classic(), new comma_numbers));
        ASSERT_EQ(setenv("LOCPATH", GPUTIDE_TEST_LOCALES, 1), 0);
        ASSERT_NE(std::setlocale(LC_NUMERIC, "comma"), nullptr) << "localedef made no locale in " GPUTIDE_TEST_LOCALES;
        char buffer[16];
        std::snprintf(buffer, sizeof buffer, "%.1f", 1.5);
        ASSERT_STREQ(buffer, "1,5") << "the locale must matter, or this test shows nothing";
    }
    void TearDown() override {
        std::locale::global(std::locale::classic());
        std::setlocale(LC_ALL, "C");
        unsetenv("LOCPATH");
    }
};

TEST_F(CommaLocale, ReadsNumbersWithAPoint) {
    EXPECT_EQ(parse_go_float("1234.5"), 1234.5);
    EXPECT_EQ(parse_go_float("0x1.8p0"), 1.5);
    EXPECT_EQ(parse_go_float("1,5"), std::nullopt);
    EXPECT_EQ(parse_json_number("1234.5"), 1234.5);
    EXPECT_EQ(parse_json_number("1,5"), std::nullopt);
    EXPECT_EQ(parse_quantity("1.5")->milli, 1500);
    EXPECT_FALSE(parse_quantity("1,5"));
    EXPECT_EQ(parse_int64("1.000"), std::nullopt);
}

TEST_F(CommaLocale, PrintsNumbersWithAPoint) {
    EXPECT_EQ(shortest(1234567.5), "1234567.5");
    EXPECT_EQ(keda_milli(1234.5678), 1'234'568);
    EXPECT_EQ(keda_milli(9.2e15), 9'200'000'000'000'000'000);
    EXPECT_EQ(keda_milli_text(1234.5678), "1234568");
    json_writer out;
    out.begin_array().number(1234567.5).integer(1'234'567).end_array();
    EXPECT_EQ(out.text(), "[1234567.5,1234567]");
}

}  // namespace
}  // namespace gputide
