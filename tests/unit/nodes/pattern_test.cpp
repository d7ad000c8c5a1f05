// Regular expressions as Go searches them.
#include "nodes/expander/pattern.hpp"

#include <gtest/gtest.h>

namespace gputide::nodes {
namespace {

bool found(std::string_view expression, std::string_view text) {
    const result<pattern> compiled = pattern::compile(expression);
    EXPECT_TRUE(compiled.ok()) << expression;
    return compiled && compiled->found_in(text);
}

TEST(Pattern, SearchesAnywhere) {
    EXPECT_TRUE(found(".*t2\\.large.*", "my-asg.t2.large"));
    EXPECT_FALSE(found("t2\\.large", "my-asg.t2xlarge"));
    EXPECT_TRUE(found("", ""));
    EXPECT_TRUE(found("h100", "pool-h100-a"));
    EXPECT_FALSE(found("^h100", "pool-h100"));
    EXPECT_TRUE(found("h100$", "pool-h100"));
    EXPECT_TRUE(found("^(?:h|a)100$", "a100"));
}

TEST(Pattern, ChoosesAndRepeats) {
    EXPECT_TRUE(found("highmem|balanced", "x-balanced"));
    EXPECT_TRUE(found("^(a|b|)c$", "c"));
    EXPECT_TRUE(found("^(ab)+$", "ababab"));
    EXPECT_FALSE(found("^(ab)+$", "aba"));
    EXPECT_TRUE(found("^a{2,3}b{2}c{1,}d?e*?$", "aaabbccee"));
    EXPECT_FALSE(found("^a{2,3}$", "aaaa"));
    EXPECT_TRUE(found("^a{0}b$", "b"));
    EXPECT_TRUE(found("^(a|bc){2}$", "bca"));
    EXPECT_TRUE(found("^a{0,2}$", ""));
    EXPECT_TRUE(found("^x{y$", "x{y"));
    EXPECT_TRUE(found("^(a*)*$", "aaa"));
    EXPECT_TRUE(found("^((a|b)+c){2,}$", "abcbac"));
}

TEST(Pattern, KnowsClasses) {
    EXPECT_TRUE(found("^[a-c0-9_]+$", "ab_42"));
    EXPECT_FALSE(found("^[^a-c]$", "b"));
    EXPECT_TRUE(found("^[]a]$", "]"));
    EXPECT_TRUE(found("\\d\\w\\s\\D", "1a x"));
    EXPECT_TRUE(found("^[\\d.]+$", "1.5"));
    EXPECT_TRUE(found("\\bgpu\\b", "my gpu pool"));
    EXPECT_FALSE(found("\\bgpu\\b", "gpus"));
    EXPECT_TRUE(found("(?i)H100", "pool-h100"));
}

TEST(Pattern, RefusesWhatIsNone) {
    for (const std::string_view text : {"(", ")", "a(b", "[a", "*a", "a**", "a{3,2}", "a{2000}", "\\", "\\q",
                                        "(?P<n>a)", "[b-a]", "[[:alpha:]]", "a{1000}{1000}"})
        EXPECT_FALSE(pattern::compile(text).ok()) << text;
    EXPECT_FALSE(pattern::compile(std::string(2'000, 'a')).ok());
}

// A backtracking search would take 2^30 steps.
TEST(Pattern, TakesTimeInProportion) { EXPECT_FALSE(found("^(a|a)*(a|a)*b$", std::string(2'000, 'a'))); }

}  // namespace
}  // namespace gputide::nodes
