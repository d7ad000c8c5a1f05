// From numbers to a sample, and failures as samples without a value.
#include "source/judge.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace gputide {
namespace {

std::vector<source::point> points(const std::vector<double>& values) {
    std::vector<source::point> out;
    std::int64_t time_ms = 1'000;
    for (const double value : values) out.push_back({time_ms++, value});
    return out;
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

// DCGM's blanks and other faults: never a size, and never the 0 of ignoreNullValues.
TEST(JudgeNumbers, ANumberBeyondTheMetricsRangeIsNoValue) {
    const source::reduction percent{.ignore_null = true, .max_value = 100.0};
    source::numbers numbers;
    numbers.newest = points({4.6e18});
    numbers.series = 1;
    const auto got = source::judge_numbers(numbers, percent, {});
    EXPECT_EQ(got.sample.state, sample_state::not_a_number);
    EXPECT_FALSE(got.sample.null_as_zero);
    EXPECT_NE(got.why.message.find("range is 0 to 100"), std::string::npos) << got.why.message;
    EXPECT_FALSE(source::is_plain_value(numbers, percent));
    numbers.newest = points({100.5});  // rounding
    EXPECT_EQ(source::judge_numbers(numbers, percent, {}).sample.value, 100.5);
    source::numbers many;
    many.newest = points({218322032, 20, 40});
    many.series = 3;
    EXPECT_EQ(source::judge_numbers(many, {.reduce = "avg", .max_value = 100.0}, {}).sample.value, 30.0);
}

}  // namespace
}  // namespace gputide
