#include "formats/promql/promql.hpp"
#include "source/prometheus/prometheus.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using formats::promql::age_query_of;
using formats::promql::selectors_of;
using list = std::vector<std::string>;

TEST(Selectors, AreFoundInEveryPlace) {
    EXPECT_EQ(selectors_of("up"), (list{"up"}));
    EXPECT_EQ(selectors_of(R"(avg(DCGM_FI_DEV_GPU_UTIL{pod=~"a}b", x='(' }))"),
              (list{R"(DCGM_FI_DEV_GPU_UTIL{pod=~"a}b", x='(' })"}));
    EXPECT_EQ(selectors_of("sum by (pod, gpu) (rate(a:b[5m])) / on(pod) group_left(x) c offset 5m"),
              (list{"a:b", "c"}));
    EXPECT_EQ(selectors_of("sum(a) by (b) > bool 1e3"), (list{"a"}));
    EXPECT_EQ(selectors_of(R"({__name__="x"} or a unless A)"), (list{R"({__name__="x"})", "a", "A"}));
    EXPECT_EQ(selectors_of("max_over_time(a[1h:5m]) + a # b"), (list{"a"}));
    EXPECT_EQ(selectors_of("sum"), (list{"sum"}));  // a metric may be called like an aggregation
}

TEST(Selectors, AreNoneWhereThereIsNoMetric) {
    for (const char* query : {"1", "vector(1)", "time() - 5", "\"up\"", "inf", "", "{", "'"}) {
        EXPECT_TRUE(selectors_of(query).empty() || std::string_view(query) == "{") << query;
    }
}

TEST(AgeQuery, AsksForTheOldest) {
    EXPECT_EQ(age_query_of("avg(a)"), "min(timestamp(a))");
    EXPECT_EQ(age_query_of("a / b"),
              "min(label_replace(min(timestamp(a)), \"part\", \"0\", \"\", \"\") or "
              "label_replace(min(timestamp(b)), \"part\", \"1\", \"\", \"\"))");
    EXPECT_EQ(age_query_of("1"), "");
}

source::fetched value(double number) {
    source::fetched out;
    out.why.status = status::ok;
    out.sample.state = sample_state::ok;
    out.sample.value = number;
    out.sample.time_ms = 1;
    return out;
}

source::numbers seconds(double time) {
    source::numbers out;
    out.newest.push_back({0, time});
    out.series = 1;
    return out;
}

TEST(Aged, GivesTheSampleItsTrueTime) {
    const auto got = source::prometheus::aged(value(3), seconds(100), 130'000, 30'000);
    EXPECT_EQ(got.sample.state, sample_state::ok);
    EXPECT_EQ(got.sample.time_ms, 100'000);
    EXPECT_EQ(got.sample.value, 3.0);
}

TEST(Aged, IsStaleBeyondTheLimitAndWhereNoTimeCame) {
    const auto old = source::prometheus::aged(value(3), seconds(100), 130'001, 30'000);
    EXPECT_EQ(old.sample.state, sample_state::stale);
    EXPECT_EQ(old.sample.value, 0.0);
    EXPECT_EQ(old.sample.time_ms, 100'000);
    EXPECT_EQ(old.why.error_class, error_class::stale);
    EXPECT_EQ(source::prometheus::aged(value(3), source::numbers(), 130'000, 30'000).sample.state, sample_state::stale);
}

TEST(Aged, LeavesFailuresAndZerosMadeOfNothingAlone) {
    source::fetched zero = value(0);
    zero.sample.null_as_zero = true;
    EXPECT_EQ(source::prometheus::aged(zero, source::numbers(), 130'000, 30'000).sample.state, sample_state::ok);
    const auto lost = source::prometheus::aged(value(3), fail(status::unavailable, "gone"), 130'000, 30'000);
    EXPECT_EQ(lost.sample.state, sample_state::failed);
    EXPECT_EQ(lost.why.status, status::unavailable);
}

}  // namespace
}  // namespace gputide
