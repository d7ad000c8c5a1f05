// Regular expressions over whole label values, and patterns that stall other engines.
#include "formats/exposition/pattern.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <re2/re2.h>
#include <string>

namespace gputide::formats::exposition {
namespace {

bool fits(std::string_view expression, std::string_view whole) {
    const auto made = pattern::compile(expression);
    EXPECT_TRUE(made) << expression << ": " << (made ? "" : made.failure().message);
    match_budget budget;
    return made && made->matches(whole, budget);
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

// Random patterns over a small alphabet, so that most of them mean something and many texts fit.
class pattern_dice {
  public:
    explicit pattern_dice(std::uint32_t seed) : engine_(seed) {}

    std::string expression(int depth) {
        std::string out = alternative(depth);
        while (below(5) == 0) out += "|" + alternative(depth);
        return out;
    }
    std::string text() {
        static constexpr std::array<std::string_view, 6> letters{"a", "b", "-", "1", "\xc3\xa9", "\n"};
        std::string out;
        for (std::size_t i = below(7); i > 0; --i) out += letters[below(letters.size())];
        return out;
    }

  private:
    std::size_t below(std::size_t n) { return engine_() % n; }

    std::string alternative(int depth) {
        std::string out;
        for (std::size_t i = below(4); i > 0; --i) out += repeated(depth);
        return out;
    }
    std::string repeated(int depth) {
        static constexpr std::array<std::string_view, 9> marks{"", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}"};
        return atom(depth).append(marks[below(marks.size())]);
    }
    std::string atom(int depth) {
        static constexpr std::array<std::string_view, 12> atoms{"a",   "b",   "-",    "1",    ".",    "\\d",
                                                                "\\w", "\\S", "[ab]", "[^a]", "[-1]", "\xc3\xa9"};
        if (depth > 0 && below(4) == 0) return (below(2) == 0 ? "(" : "(?:") + expression(depth - 1) + ")";
        return std::string(atoms[below(atoms.size())]);
    }

    std::mt19937 engine_;
};

// Prometheus matches with RE2's syntax, anchored, and with a dot that takes every character.
TEST(pattern, agrees_with_re2) {
    pattern_dice dice(20261121);
    RE2::Options as_prometheus;
    as_prometheus.set_dot_nl(true);
    as_prometheus.set_log_errors(false);
    int fitting = 0;
    for (int i = 0; i < 3'000; ++i) {
        const std::string expression = dice.expression(2);
        const RE2 theirs(expression, as_prometheus);
        ASSERT_TRUE(theirs.ok()) << expression << ": " << theirs.error();
        for (int j = 0; j < 10; ++j) {
            const std::string text = dice.text();
            const bool expected = RE2::FullMatch(text, theirs);
            ASSERT_EQ(fits(expression, text), expected) << expression << " on " << text;
            fitting += expected ? 1 : 0;
        }
    }
    EXPECT_GT(fitting, 3'000);  // or the test would prove little
}

}  // namespace
}  // namespace gputide::formats::exposition
