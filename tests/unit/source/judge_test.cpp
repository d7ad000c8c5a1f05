// From bytes to a sample, through a trigger of either profile.
#include "source/description.hpp"
#include "support.hpp"
#include "support/open_source.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace gputide {
namespace {

using testing::answered;
using testing::prometheus_trigger;
using testing::vector_of;

source::fetched judged(const std::string& body, const testing::metadata& more = {},
                       const manifest::trigger_rules& rules = {}, manifest::profile as = manifest::profile::standard) {
    const auto opened = testing::open_source(prometheus_trigger(more), rules, as, {});
    if (!opened) return {.why = opened.failure()};
    return (*opened)->judge((*opened)->read(answered(200, body)));
}

const testing::metadata no_nulls = {{"ignoreNullValues", "false"}};

TEST(Judge, TakesOneValue) {
    const auto got = judged(vector_of({"42.5"}));
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.value, 42.5);
    EXPECT_EQ(got.sample.time_ms, 1'000'000);
    EXPECT_FALSE(got.sample.null_as_zero);
    EXPECT_EQ(got.why.status, status::ok);
}

TEST(Judge, TakesAScalarWhichOnlyStrictRefuses) {
    const std::string scalar = R"({"status":"success","data":{"resultType":"scalar","result":[1,"1.5"]}})";
    EXPECT_EQ(judged(scalar).sample.value, 1.5);
    const auto strict = judged(scalar, {}, {}, manifest::profile::strict);
    EXPECT_EQ(strict.sample.state, sample_state::failed);
    EXPECT_EQ(strict.why.error_class, error_class::shape);
}

TEST(Judge, ReadsNothingAsZeroAndSaysSo) {
    for (const std::string& body : {vector_of({}), vector_of({"NaN"}), vector_of({"+Inf"})}) {
        const auto got = judged(body);
        EXPECT_EQ(got.sample.state, sample_state::ok) << body;
        EXPECT_EQ(got.sample.value, 0.0) << body;
        EXPECT_TRUE(got.sample.null_as_zero) << body;
    }
}

TEST(Judge, NamesWhatIsMissingWhereNullsCount) {
    const auto empty = judged(vector_of({}), no_nulls);
    EXPECT_EQ(empty.sample.state, sample_state::empty);
    EXPECT_EQ(empty.sample.status, status::no_data);
    EXPECT_EQ(empty.why.message, "prometheus metrics 'prometheus' target may be lost, the result is empty");
    const auto nan = judged(vector_of({"NaN"}), no_nulls);
    EXPECT_EQ(nan.sample.state, sample_state::not_a_number);
    EXPECT_EQ(nan.why.message, "prometheus query returns NaN");
}

TEST(Judge, SeveralSeriesNeedAReducer) {
    const auto several = judged(vector_of({"1", "3"}));
    EXPECT_EQ(several.sample.state, sample_state::ambiguous);
    EXPECT_EQ(several.why.status, status::ambiguous);
    EXPECT_NE(several.why.message.find("prometheus query up returned multiple elements"), std::string::npos);
    manifest::trigger_rules rules;
    rules.reduce = "avg";
    EXPECT_EQ(judged(vector_of({"1", "3"}), {}, rules).sample.value, 2.0);
    EXPECT_EQ(judged(vector_of({"1", "3"}), {}, rules, manifest::profile::strict).sample.value, 2.0);
}

TEST(Judge, ARangeIsTakenWithAReducerOnly) {
    const std::string matrix =
        R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"1"],[2,"4"]]}]}})";
    EXPECT_EQ(judged(matrix).why.status, status::ambiguous);
    manifest::trigger_rules rules;
    rules.reduce = "max";
    EXPECT_EQ(judged(matrix, {}, rules).sample.value, 4.0);
    EXPECT_EQ(judged(matrix, {}, rules).sample.time_ms, 2000);
    // KEDA takes it as empty, and reads 0.
    const auto strict = judged(matrix, {}, {}, manifest::profile::strict);
    EXPECT_EQ(strict.sample.state, sample_state::ok);
    EXPECT_EQ(strict.sample.value, 0.0);
}

TEST(Judge, ANativeHistogramAndAStringAreNoNumbers) {
    const std::string histogram =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"histogram":[1,{"count":"1","sum":"1"}]}]}})";
    EXPECT_EQ(judged(histogram).why.status, status::rejected);
    EXPECT_NE(judged(histogram).why.message.find("histogram_quantile()"), std::string::npos);
    const std::string text = R"({"status":"success","data":{"resultType":"string","result":[1,"a"]}})";
    EXPECT_EQ(judged(text).why.status, status::rejected);
}

TEST(Judge, ANullIsAnErrorAndMinusOneInStrict) {
    const std::string null_value =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,null]}]}})";
    EXPECT_EQ(judged(null_value).why.error_class, error_class::shape);
    EXPECT_EQ(judged(null_value, {}, {}, manifest::profile::strict).sample.value, -1.0);
}

TEST(Judge, AnErrorEnvelopeWith200IsZeroInStrictOnly) {
    const std::string body = R"({"status":"error","errorType":"execution","error":"x"})";
    EXPECT_EQ(judged(body).why.status, status::rejected);
    EXPECT_EQ(judged(body, {}, {}, manifest::profile::strict).sample.state, sample_state::ok);
}

TEST(Judge, StrictReadsWhatGoReads) {
    const auto strict = manifest::profile::strict;
    EXPECT_EQ(judged("null", {}, {}, strict).sample.state, sample_state::ok);
    EXPECT_EQ(judged(R"({"DATA":{"Result":[{"VALUE":[null,"7"]}]}})", {}, {}, strict).sample.value, 7.0);
    EXPECT_EQ(judged("{\"data\":{\"result\":[{\"metric\":{\"a\":\"\xff\"},\"value\":[1,\"7\"]}]}}", {}, {}, strict)
                  .sample.value,
              7.0);
    EXPECT_EQ(judged(R"({"status":1,"data":{"result":[]}})", {}, {}, strict).sample.state, sample_state::failed);
    EXPECT_EQ(judged(R"({"data":{"result":[{"value":[1,true]}]}})", {}, {}, strict).sample.state, sample_state::failed);
}

TEST(Judge, APartialAnswerIsTakenByName) {
    const std::string partial =
        R"({"status":"success","isPartial":true,"data":{"resultType":"vector","result":[{"metric":{},"value":[1,"5"]}]}})";
    EXPECT_EQ(judged(partial).sample.state, sample_state::partial);
    manifest::trigger_rules rules;
    rules.accept_partial = true;
    EXPECT_EQ(judged(partial, {}, rules).sample.value, 5.0);
}

// From numbers to a sample, and failures as samples without a value.

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
