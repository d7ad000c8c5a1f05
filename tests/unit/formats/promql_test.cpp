// Trees of queries as people write them, and what is not a query.
#include "formats/promql/promql.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::formats::promql {

namespace {

// (sum (rate x)) for sum(rate(x[1m])): names in prefix order.
std::string shown(const expression& of) {
    std::string out = of.kind == expression_kind::number ? std::to_string(static_cast<int>(of.number)) : of.name;
    if (of.is_grouped) out += "/g";
    for (const label_matcher& matcher : of.matchers) out += " " + matcher.label + matcher.sign + matcher.value;
    if (of.parts.empty()) return out;
    for (const expression& part : of.parts) out += " " + shown(part);
    return "(" + out + ")";
}

std::string read(std::string_view query) {
    const auto tree = parse(query);
    return tree ? shown(*tree) : "unreadable";
}

TEST(PromQl, Aggregations) {
    EXPECT_EQ(read("sum(rate(x[1m]))"), "(sum (rate x))");
    EXPECT_EQ(read("avg by (pod, gpu) (x)"), "(avg/g x)");
    EXPECT_EQ(read("avg(x) without (gpu)"), "(avg/g x)");
    EXPECT_EQ(read("AVG(x)"), "(avg x)");
    EXPECT_EQ(parse("avg by (pod, \"k8s.pod\") (x)")->grouping, (std::vector<std::string>{"pod", "k8s.pod"}));
    EXPECT_TRUE(parse("avg(x) without (gpu)")->is_without);
    EXPECT_EQ(read("quantile(0.95, x)"), "(quantile 0 x)");
    EXPECT_EQ(read("histogram_quantile(0.95, sum by (le) (rate(b[5m])))"), "(histogram_quantile 0 (sum/g (rate b)))");
}

TEST(PromQl, OperatorsByPrecedence) {
    EXPECT_EQ(read("a + b * c"), "(+ a (* b c))");
    EXPECT_EQ(read("a - b - c"), "(- (- a b) c)");
    EXPECT_EQ(read("2 ^ 3 ^ 2"), "(^ 2 (^ 3 2))");
    EXPECT_EQ(read("-a ^ 2"), "(* -1 (^ a 2))");
    EXPECT_EQ(read("a or b and c"), "(or a (and b c))");
    EXPECT_EQ(read("(sum(x) >= 0) or vector(0)"), "(or (>= (sum x) 0) (vector 0))");
    EXPECT_EQ(read("a / on(pod) group_left(x) b > bool 3"), "(> (/ a b) 3)");
}

TEST(PromQl, SelectorsAndTimes) {
    EXPECT_EQ(read(R"(x{pod=~"llm-.*",ns!='a',})"), "x pod=~llm-.* ns!=a");
    EXPECT_EQ(read(R"({__name__="up", job="a"})"), "up job=a");
    EXPECT_EQ(read(R"({"my.metric", job="a"})"), "my.metric job=a");
    EXPECT_EQ(read("max_over_time(x[1h:5m] offset 1d)"), "(max_over_time x)");
    EXPECT_EQ(read("x @ end() offset -5m"), "x");
    EXPECT_EQ(read("vllm:num_requests_waiting"), "vllm:num_requests_waiting");
    EXPECT_EQ(read("sum"), "sum");  // a metric may have that name
    EXPECT_EQ(read("1e3 # a comment"), "1000");
    EXPECT_EQ(read("0x1F"), "31");
}

TEST(PromQl, WhatIsNotAQuery) {
    for (const char* query :
         {"", "sum(", "sum(x))", "a b", "a +", "x{pod}", "x{pod=llm}", "x[5m", "5m", "\"text", "WITH (a = b) a", ","})
        EXPECT_EQ(read(query), "unreadable") << query;
}

TEST(PromQl, SizeIsBounded) {
    const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "x" + std::string(depth, ')'); };
    EXPECT_EQ(read(nested(40)), "x");
    EXPECT_EQ(read(nested(100'000)), "unreadable");
    EXPECT_EQ(read(std::string(100'000, '-') + "x"), "unreadable");
    std::string chain = "a";
    for (int i = 0; i < 100'000; ++i) chain += "+a";
    EXPECT_EQ(read(chain), "unreadable");
}

}  // namespace

// Brackets and strings of a PromQL expression.

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
    EXPECT_EQ(unbalanced_part("x{a=\"b}"), "\" at character 5 opens a string that is not closed");
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
