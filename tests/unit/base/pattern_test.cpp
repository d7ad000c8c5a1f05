// Regular expressions over whole label values and anywhere in a name, and patterns that stall other engines.
#include "base/pattern/pattern.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <re2/re2.h>
#include <string>

namespace gputide {
namespace {

result<pattern> compiled(std::string_view expression, pattern::dot takes) {
    auto out = pattern::compile(expression, takes);
    EXPECT_TRUE(out) << expression << ": " << (out ? "" : out.failure().message);
    return out;
}

// As Prometheus matches.
bool fits(std::string_view expression, std::string_view whole) {
    const auto machine = compiled(expression, pattern::dot::any_character);
    match_budget budget;
    return machine && machine->matches(whole, budget);
}

// As Go's regexp searches.
bool finds(std::string_view expression, std::string_view text) {
    const auto machine = compiled(expression, pattern::dot::not_newline);
    match_budget budget;
    return machine && machine->found_in(text, budget);
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

TEST(pattern, is_found_anywhere) {
    EXPECT_TRUE(finds(".*t2\\.large.*", "my-asg.t2.large"));
    EXPECT_FALSE(finds("t2\\.large", "my-asg.t2xlarge"));
    EXPECT_TRUE(finds("", ""));
    EXPECT_TRUE(finds("h100", "pool-h100-a"));
    EXPECT_FALSE(finds("^h100", "pool-h100"));
    EXPECT_TRUE(finds("h100$", "pool-h100"));
    EXPECT_TRUE(finds("highmem|balanced", "x-balanced"));
    EXPECT_TRUE(finds("\\bgpu\\b", "my gpu pool"));
    EXPECT_FALSE(finds("\\bgpu\\b", "gpus"));
    EXPECT_TRUE(finds("a\\Bb", "ab"));
    EXPECT_FALSE(finds("\\B",
                       "a\xc3\xa9"
                       "b"))
        << "as Go's; RE2 looks between the bytes of a character, too";
    EXPECT_FALSE(finds("a.b", "a\nb"));
    EXPECT_TRUE(finds("(?s)a.b", "a\nb"));
}

TEST(pattern, letters_of_either_case) {
    EXPECT_TRUE(finds("(?i)H100", "pool-h100"));
    EXPECT_TRUE(fits("a(?i:b)c", "aBc"));
    EXPECT_FALSE(fits("a(?i:b)c", "aBC")) << "the flag ends with its group";
    EXPECT_TRUE(fits("(a(?i)b|c)d", "Cd"));
    EXPECT_FALSE(fits("(?i)[^a]", "A"));
    EXPECT_TRUE(fits("(?i)[x-z]+", "XYz"));
    EXPECT_FALSE(pattern::compile("(?i)\xc3\xa9", pattern::dot::any_character))
        << "beyond ASCII there are no cases here";
}

TEST(pattern, braces_without_a_count_stand_for_themselves) {
    for (const char* text : {"x{", "x{y", "x{,2}", "x{2", "x{02}", "{x}"}) EXPECT_TRUE(fits(text, text)) << text;
}

TEST(pattern, classes_escapes_and_code_points) {
    EXPECT_TRUE(fits("GPU-[0-9a-f]{4}", "GPU-3f6c"));
    EXPECT_FALSE(fits("[^0-9]+", "a1"));
    EXPECT_TRUE(fits("\\d+\\.\\w*", "10.x_1"));
    EXPECT_TRUE(fits("[\\d-]+", "1-2"));
    EXPECT_TRUE(fits("[]a]+", "]a"));
    EXPECT_TRUE(fits("\\S\\s\\D\\W", "a b-"));
    EXPECT_TRUE(fits("[[:alpha:][:digit:]_]+", "aZ_9"));
    EXPECT_FALSE(fits("[[:^upper:]]", "U"));
    EXPECT_TRUE(fits("[[:a]+", "[:a"));
    EXPECT_TRUE(fits("...", "\xc3\xa9\xe4\xb8\x96\xf0\x9f\x9a\x80"));
    EXPECT_TRUE(fits("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9"));
    EXPECT_TRUE(fits(".", "\n"));
}

TEST(pattern, refuses_with_the_place) {
    for (const char* wrong :
         {"(",  ")",     "a)",       "[a",    "*a",  "a**", "a*{2}", "a{3,2}", "a{1001}", "a{99999999999}",
          "\\", "\\1",   "\\p",      "[z-a]", "{1}", "a|*", "[\\",   "[a-\\",  "[a-\\d]", "[[:letters:]]",
          "(?", "(?m)a", "(?P<n>a)", "(?i"}) {
        const auto got = pattern::compile(wrong, pattern::dot::any_character);
        ASSERT_FALSE(got) << wrong;
        EXPECT_EQ(got.failure().status, status::invalid);
        EXPECT_NE(got.failure().message.find("character"), std::string::npos) << got.failure().message;
    }
    const auto accepts = [](const std::string& text) { return pattern::compile(text, pattern::dot::not_newline).ok(); };
    EXPECT_FALSE(accepts(std::string(pattern::max_bytes + 1, 'a')));
    EXPECT_FALSE(accepts("((((a{100}){100}){100}){100})"));
    EXPECT_FALSE(accepts(std::string(1000, '(') + std::string(1000, ')')));
}

// Backtracking needs 2^40 steps for the first and a megabyte of stack for the second.
TEST(pattern, stays_linear) {
    EXPECT_FALSE(fits("(a+)+b", std::string(40, 'a')));
    EXPECT_TRUE(fits("(.|a)*", std::string(100'000, 'a')));
    EXPECT_FALSE(finds("^(a|a)*(a|a)*b$", std::string(2'000, 'a')));
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
        static constexpr std::array<std::string_view, 6> letters{"a", "B", "-", "1", "\xc3\xa9", "\n"};
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
        static constexpr std::array<std::string_view, 17> atoms{
            "a",    "b", "-", "1",   ".",   "\\d",          "\\W",          "\\S", "[aB]",
            "[^a]", "^", "$", "\\b", "\\A", "[[:upper:]-]", "[^[:^word:]]", "{a}"};
        static constexpr std::array<std::string_view, 4> groups{"(", "(?:", "(?i:", "(?s:"};
        if (depth > 0 && below(4) == 0) return std::string(groups[below(groups.size())]) + expression(depth - 1) + ")";
        return std::string(atoms[below(atoms.size())]);
    }

    std::mt19937 engine_;
};

// Prometheus matches with RE2's syntax, anchored, and with a dot that takes every character; the autoscaler searches with Go's.
TEST(pattern, agrees_with_re2) {
    pattern_dice dice(20261121);
    RE2::Options as_go;
    as_go.set_log_errors(false);
    RE2::Options as_prometheus = as_go;
    as_prometheus.set_dot_nl(true);
    std::array<int, 2> fitting{};
    for (int i = 0; i < 6'000; ++i) {
        const std::string expression = dice.expression(2);
        const RE2 whole(expression, as_prometheus);
        const RE2 anywhere(expression, as_go);
        ASSERT_TRUE(whole.ok()) << expression << ": " << whole.error();
        for (int j = 0; j < 10; ++j) {
            const std::string text = dice.text();
            const bool fits_whole = RE2::FullMatch(text, whole);
            const bool is_found = RE2::PartialMatch(text, anywhere);
            ASSERT_EQ(fits(expression, text), fits_whole) << expression << " on " << text;
            ASSERT_EQ(finds(expression, text), is_found) << expression << " in " << text;
            fitting[0] += fits_whole ? 1 : 0;
            fitting[1] += is_found ? 1 : 0;
        }
    }
    EXPECT_GT(fitting[0], 3'000);  // or the test would prove little
    EXPECT_GT(fitting[1], 6'000);
}

}  // namespace
}  // namespace gputide
