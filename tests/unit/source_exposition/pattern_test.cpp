// Regular expressions over whole label values, and patterns that stall other engines.
#include "source/exposition/pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::source::exposition {
namespace {

bool fits(std::string_view expression, std::string_view whole) {
    const auto made = pattern::compile(expression);
    EXPECT_TRUE(made) << expression << ": " << (made ? "" : made.failure().message);
    return made && made->matches(whole);
}

TEST(pattern, is_anchored_at_both_ends) {
    EXPECT_TRUE(fits("llm-.*", "llm-6d8f-abcde"));
    EXPECT_FALSE(fits("llm", "llm-1"));
    EXPECT_FALSE(fits("1", "llm-1"));
    EXPECT_TRUE(fits("^llm-.+$", "llm-1"));
    EXPECT_TRUE(fits("", ""));
    EXPECT_FALSE(fits("", "x"));
}

TEST(pattern, alternatives_groups_and_repeats) {
    EXPECT_TRUE(fits("a|b|cd", "cd"));
    EXPECT_FALSE(fits("a|b|cd", "acd"));
    EXPECT_TRUE(fits("(?:ab)+c?", "ababc"));
    EXPECT_TRUE(fits("(a|)b", "b"));
    EXPECT_TRUE(fits("x{2,3}", "xx"));
    EXPECT_FALSE(fits("x{2,3}", "xxxx"));
    EXPECT_TRUE(fits("x{2,}", "xxxxx"));
    EXPECT_FALSE(fits("x{2}", "x"));
    EXPECT_TRUE(fits("(a*)*b", "aaab"));
    EXPECT_TRUE(fits("a*?b", "aab"));
    EXPECT_TRUE(fits("(a{2}|b){2}", "aab"));
    EXPECT_TRUE(fits("x{0}y", "y"));
}

TEST(pattern, classes_escapes_and_code_points) {
    EXPECT_TRUE(fits("GPU-[0-9a-f]{4}", "GPU-3f6c"));
    EXPECT_FALSE(fits("[^0-9]+", "a1"));
    EXPECT_TRUE(fits("\\d+\\.\\w*", "10.x_1"));
    EXPECT_TRUE(fits("[\\d-]+", "1-2"));
    EXPECT_TRUE(fits("[]a]+", "]a"));
    EXPECT_TRUE(fits("\\S\\s\\D\\W", "a b-"));
    EXPECT_TRUE(fits("...", "\xc3\xa9\xe4\xb8\x96\xf0\x9f\x9a\x80"));
    EXPECT_TRUE(fits("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9"));
    EXPECT_TRUE(fits(".", "\n"));
}

TEST(pattern, refuses_with_the_place) {
    for (const char* wrong : {"(",   ")",   "a)",    "[a",    "*a",  "a**", "a{2", "a{3,2}", "a{1001}", "\\",
                              "\\1", "\\p", "[z-a]", "(?i)a", "a^b", "a$b", "{1}", "[\\",    "[a-\\",   "(?"}) {
        const auto got = pattern::compile(wrong);
        ASSERT_FALSE(got) << wrong;
        EXPECT_EQ(got.failure().status, status::invalid);
        EXPECT_NE(got.failure().message.find("character"), std::string::npos) << got.failure().message;
    }
    EXPECT_FALSE(pattern::compile(std::string(pattern::most_bytes + 1, 'a')));
    EXPECT_FALSE(pattern::compile("((((a{100}){100}){100}){100})"));
    EXPECT_FALSE(pattern::compile(std::string(1000, '(') + std::string(1000, ')')));
}

// Backtracking needs 2^40 steps for the first and a megabyte of stack for the second.
TEST(pattern, stays_linear) {
    EXPECT_FALSE(fits("(a+)+b", std::string(40, 'a')));
    EXPECT_TRUE(fits("(.|a)*", std::string(100'000, 'a')));
}

}  // namespace
}  // namespace gputide::source::exposition
