#include "source/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gputide {
namespace {

using source::known_reducer;
using source::point;
using source::reduce;

std::vector<point> points(const std::vector<double>& values) {
    std::vector<point> out;
    std::int64_t time = 1000;
    for (const double value : values) out.push_back({time++, value});
    return out;
}

double reduced(const std::vector<double>& values, std::string_view how) { return reduce(points(values), how).value; }

TEST(Reduce, KnowsItsWords) {
    for (const char* how : {"avg", "max", "min", "sum", "count", "p0", "p50", "p99.9", "p100"}) {
        EXPECT_TRUE(known_reducer(how)) << how;
    }
    for (const char* how : {"", "p", "p101", "p-1", "p05", "median", "AVG", "pNaN", "p1e9"}) {
        EXPECT_FALSE(known_reducer(how)) << how;
    }
}

TEST(Reduce, GivesThePlainFigures) {
    const std::vector<double> values = {4, 1, 3, 2};
    EXPECT_EQ(reduced(values, "avg"), 2.5);
    EXPECT_EQ(reduced(values, "sum"), 10.0);
    EXPECT_EQ(reduced(values, "min"), 1.0);
    EXPECT_EQ(reduced(values, "max"), 4.0);
    EXPECT_EQ(reduced(values, "count"), 4.0);
}

TEST(Reduce, TakesPercentilesByNearestRank) {
    const std::vector<double> ten = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    EXPECT_EQ(reduced(ten, "p90"), 9.0);
    EXPECT_EQ(reduced(ten, "p91"), 10.0);
    EXPECT_EQ(reduced(ten, "p0"), 1.0);
    EXPECT_EQ(reduced(ten, "p100"), 10.0);
    EXPECT_EQ(reduced({1, 2, 3}, "p50"), 2.0);
    EXPECT_EQ(reduced({7}, "p1"), 7.0);
    std::vector<double> thousand(1000);
    for (std::size_t i = 0; i < thousand.size(); ++i) thousand[i] = static_cast<double>(i + 1);
    EXPECT_EQ(reduced(thousand, "p99.9"), 999.0);
}

TEST(Reduce, DropsAndCountsWhatIsNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const auto got = reduce(points({nan, 2, inf, 4}), "avg");
    EXPECT_EQ(got.value, 3.0);
    EXPECT_EQ(got.used, 2U);
    EXPECT_EQ(got.dropped, 2U);
    EXPECT_EQ(got.time_ms, 1001);  // of the oldest one used
    EXPECT_EQ(reduce(points({nan}), "max").used, 0U);
}

TEST(Reduce, AveragesNumbersWhoseSumOverflows) {
    const double large = std::numeric_limits<double>::max();
    EXPECT_EQ(reduced({large, large}, "avg"), large);
    EXPECT_TRUE(std::isinf(reduced({large, large}, "sum")));
}

TEST(JudgeNumbers, NeverLetsAnInfiniteSumOut) {
    source::numbers many;
    const double large = std::numeric_limits<double>::max();
    many.newest = points({large, large});
    many.series = 2;
    const source::reduction rule{.reduce = "sum", .ignore_null = false};
    const auto got = source::judge_numbers(many, rule, {.not_finite = "it gives"});
    EXPECT_EQ(got.sample.state, sample_state::not_a_number);
    EXPECT_EQ(got.sample.value, 0.0);
    EXPECT_EQ(got.why.status, status::no_data);
}

TEST(JudgeNumbers, AsksForAReducerBeforeItLooksAtValues) {
    source::numbers two;
    two.newest = points({1, 2});
    two.series = 2;
    const auto got = source::judge_numbers(two, {}, {.several = "it gave several"});
    EXPECT_EQ(got.sample.state, sample_state::ambiguous);
    EXPECT_NE(got.why.message.find("2 series"), std::string::npos);
    EXPECT_NE(got.why.message.find("gputide.io/reduce"), std::string::npos);
}

TEST(JudgeNumbers, TakesAPartialAnswerOnlyByName) {
    source::numbers part;
    part.newest = points({1});
    part.series = 1;
    part.partial = true;
    EXPECT_EQ(source::judge_numbers(part, {}, {}).why.status, status::partial);
    const auto taken = source::judge_numbers(part, {.accept_partial = true}, {});
    EXPECT_EQ(taken.sample.state, sample_state::ok);
    EXPECT_EQ(taken.sample.value, 1.0);
}

TEST(JudgeFailure, GivesTheSampleItsState) {
    EXPECT_EQ(source::judge_failure(fail(status::forbidden, "x")).sample.state, sample_state::auth);
    EXPECT_EQ(source::judge_failure(fail(status::timeout, "x")).sample.state, sample_state::timeout);
    EXPECT_EQ(source::judge_failure(fail(status::protocol, "x")).sample.state, sample_state::failed);
    EXPECT_EQ(source::judge_failure(fail(status::protocol, "x")).sample.status, status::protocol);
}

}  // namespace
}  // namespace gputide
