// Brackets and strings of a PromQL expression.
#include "formats/promql/brackets.hpp"

#include <gtest/gtest.h>

namespace gputide::formats::promql {
namespace {

TEST(Brackets, CloseInWhatAServerReads) {
    for (const char* query :
         {"up", "sum(rate(x{a=\"(\",b=~'[}'}[5m])) # (", "a{b=`\\`} + (b)", "x{a=\"\\\"]\"}", "sum( # [ {\nup)", ""}) {
        EXPECT_EQ(unbalanced_part(query), "") << query;
    }
}

TEST(Brackets, NameWhereTheyFail) {
    EXPECT_EQ(unbalanced_part("sum(rate(x[5m])"), "( at character 4 is not closed");
    EXPECT_EQ(unbalanced_part("a]"), "] at character 2 closes nothing");
    EXPECT_EQ(unbalanced_part("sum(x[5m)]"), ") at character 9 does not close the [ at character 6");
    EXPECT_EQ(unbalanced_part("x{a=\"b}"), "\" at character 5 opens a text that does not end");
}

}  // namespace
}  // namespace gputide::formats::promql
