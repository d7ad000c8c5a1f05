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

TEST(Labels, InKubernetesSpellingAreNotNames) {
    EXPECT_EQ(unquoted_label_of(R"(avg(x{app.kubernetes.io/component="inference"}))"), "app.kubernetes.io/component");
    EXPECT_EQ(unquoted_label_of(R"(x{a="b", nvidia.com/gpu.product=~"A100.*"})"), "nvidia.com/gpu.product");
    EXPECT_EQ(unquoted_label_of(R"(x{node-pool!="a"})"), "node-pool");
    for (const char* query : {"x", R"(x{a="b.c/d", e=~"f"})", R"({"app.kubernetes.io/name"="a", b="c"})", R"(x{})",
                              R"(sum by (a) (x{b="c"}) / 2.5)", R"(x{app\.kubernetes\.io="a"})"}) {
        EXPECT_EQ(unquoted_label_of(query), "") << query;
    }
}

}  // namespace
}  // namespace gputide::formats::promql
