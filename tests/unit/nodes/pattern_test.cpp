// Regular expressions as Go searches them.
#include "nodes/expander/pattern.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

bool matches_text(std::string_view expression, std::string_view text) {
    const result<pattern> compiled = pattern::compile(expression);
    EXPECT_TRUE(compiled.ok()) << expression;
    return compiled && compiled->found_in(text);
}

TEST(Pattern, SearchesAnywhere) {
    EXPECT_TRUE(matches_text(".*t2\\.large.*", "my-asg.t2.large"));
    EXPECT_FALSE(matches_text("t2\\.large", "my-asg.t2xlarge"));
    EXPECT_TRUE(matches_text("", ""));
    EXPECT_TRUE(matches_text("h100", "pool-h100-a"));
    EXPECT_FALSE(matches_text("^h100", "pool-h100"));
    EXPECT_TRUE(matches_text("h100$", "pool-h100"));
    EXPECT_TRUE(matches_text("^(?:h|a)100$", "a100"));
}

TEST(Pattern, ChoosesAndRepeats) {
    EXPECT_TRUE(matches_text("highmem|balanced", "x-balanced"));
    EXPECT_TRUE(matches_text("^(a|b|)c$", "c"));
    EXPECT_TRUE(matches_text("^(ab)+$", "ababab"));
    EXPECT_FALSE(matches_text("^(ab)+$", "aba"));
    EXPECT_TRUE(matches_text("^a{2,3}b{2}c{1,}d?e*?$", "aaabbccee"));
    EXPECT_FALSE(matches_text("^a{2,3}$", "aaaa"));
    EXPECT_TRUE(matches_text("^a{0}b$", "b"));
    EXPECT_TRUE(matches_text("^(a|bc){2}$", "bca"));
    EXPECT_TRUE(matches_text("^a{0,2}$", ""));
    EXPECT_TRUE(matches_text("^x{y$", "x{y"));
    EXPECT_TRUE(matches_text("^(a*)*$", "aaa"));
    EXPECT_TRUE(matches_text("^((a|b)+c){2,}$", "abcbac"));
}

TEST(Pattern, KnowsClasses) {
    EXPECT_TRUE(matches_text("^[a-c0-9_]+$", "ab_42"));
    EXPECT_FALSE(matches_text("^[^a-c]$", "b"));
    EXPECT_TRUE(matches_text("^[]a]$", "]"));
    EXPECT_TRUE(matches_text("\\d\\w\\s\\D", "1a x"));
    EXPECT_TRUE(matches_text("^[\\d.]+$", "1.5"));
    EXPECT_TRUE(matches_text("\\bgpu\\b", "my gpu pool"));
    EXPECT_FALSE(matches_text("\\bgpu\\b", "gpus"));
    EXPECT_TRUE(matches_text("(?i)H100", "pool-h100"));
}

TEST(Pattern, RefusesWhatIsNone) {
    for (const std::string_view text : {"(", ")", "a(b", "[a", "*a", "a**", "a{3,2}", "a{2000}", "\\", "\\q",
                                        "(?P<n>a)", "[b-a]", "[[:alpha:]]", "a{1000}{1000}"})
        EXPECT_FALSE(pattern::compile(text).ok()) << text;
    EXPECT_FALSE(pattern::compile(std::string(2'000, 'a')).ok());
}

// A backtracking search would take 2^30 steps.
TEST(Pattern, TakesTimeInProportion) { EXPECT_FALSE(matches_text("^(a|a)*(a|a)*b$", std::string(2'000, 'a'))); }

}  // namespace
}  // namespace gputide::nodes
