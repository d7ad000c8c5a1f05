// azure-monitor: which number of an answer counts, and why there is none.
#include "support.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::answered;
using testing::judged;
using testing::metrics_body;
using testing::monitor_trigger;

source::fetched of(const std::string& series, const manifest::trigger_rules& rules = {}) {
    return judged(monitor_trigger(), answered(200, metrics_body(series)), rules);
}

manifest::trigger_rules reducing(std::string how) {
    manifest::trigger_rules out;
    out.reduce = std::move(how);
    return out;
}

constexpr const char* two_series = R"({"data":[{"timeStamp":"2025-10-09T08:48:00Z","average":10}]},)"
                                   R"({"data":[{"timeStamp":"2025-10-09T08:50:00Z","average":30}]})";

TEST(MonitorAnswer, TheNewestPointWithTheAggregationCounts) {
    const auto got =
        of(R"({"data":[{"timeStamp":"2025-10-09T08:50:00Z","average":7},)"
           R"({"timeStamp":"2025-10-09T08:48:00Z","average":1},)"
           R"({"timeStamp":"2025-10-09T08:51:00Z","average":null},{"timeStamp":"2025-10-09T08:52:00Z"}]})");
    EXPECT_EQ(got.sample.state, sample_state::ok) << got.why.message;
    EXPECT_EQ(got.sample.value, 7.0);
    EXPECT_EQ(got.sample.time_ms, 1'759'999'800'000);
}

TEST(MonitorAnswer, ZeroIsAValueAndNullIsNot) {
    EXPECT_EQ(of(R"({"data":[{"average":0}]})").sample.state, sample_state::ok);
    const auto null = of(R"({"data":[{"average":null}]})");
    EXPECT_EQ(null.sample.state, sample_state::empty);
    EXPECT_FALSE(null.sample.null_as_zero);
    EXPECT_EQ(null.why.error_class, error_class::no_data);
    EXPECT_NE(null.why.message.find("GpuUtil has the aggregate type Average"), std::string::npos) << null.why.message;
}

TEST(MonitorAnswer, SeveralSeriesNeedAReducer) {
    const auto got = of(two_series);
    EXPECT_EQ(got.sample.state, sample_state::ambiguous);
    EXPECT_NE(got.why.message.find("2 series"), std::string::npos) << got.why.message;
    EXPECT_EQ(of(two_series, reducing("max")).sample.value, 30.0);
    EXPECT_EQ(of(two_series, reducing("min")).sample.value, 10.0);
    EXPECT_EQ(of(two_series, reducing("avg")).sample.value, 20.0);
    EXPECT_EQ(of(two_series, reducing("sum")).sample.value, 40.0);
    EXPECT_EQ(of(two_series, reducing("avg")).sample.time_ms, 1'759'999'800'000);  // of the newest point used
}

TEST(MonitorAnswer, ASeriesWithoutAValueIsNotZero) {
    const auto got = of(R"({"data":[{"average":90}]},{"data":[{}]})", reducing("avg"));
    EXPECT_EQ(got.sample.value, 90.0);
    EXPECT_EQ(of(R"({"data":[{"average":90}]},{"data":[{}]})").sample.state, sample_state::ambiguous);
}

TEST(MonitorAnswer, DimensionsBecomeLabels) {
    const auto got = of(R"({"metadatavalues":[{"name":{"value":"instance"},"value":"3"}],"data":[{"average":1}]})");
    ASSERT_EQ(got.reading.series.size(), 1U);
    EXPECT_EQ(got.reading.series[0].labels, (source::labels{{"instance", "3"}}));
}

TEST(MonitorAnswer, AnotherShapeIsAnError) {
    const auto refused = [](const std::string& body) { return judged(monitor_trigger(), answered(200, body)).why; };
    for (const char* body :
         {"[]", "{}", R"({"value":7})", R"({"value":[7]})", R"({"value":[{"name":{"value":"Other"}}]})"}) {
        EXPECT_EQ(refused(body).error_class, error_class::protocol) << body;
        EXPECT_EQ(refused(body).status, status::protocol) << body;
    }
    EXPECT_EQ(refused(metrics_body("7")).error_class, error_class::protocol);
    EXPECT_EQ(refused(metrics_body(R"({"data":[{"average":"5"}]})")).error_class, error_class::protocol);
    EXPECT_EQ(refused(metrics_body(R"({"data":[{"average":5,"timeStamp":"noon"}]})")).error_class,
              error_class::protocol);
    EXPECT_NE(refused("<html>sign in</html>").message.find("not JSON"), std::string::npos);
    EXPECT_EQ(refused("<html>sign in</html>").message.find("sign in</html>"), std::string::npos);
}

TEST(MonitorAnswer, TheMetricsOwnErrorDecidesFirst) {
    const auto got = judged(monitor_trigger(),
                            answered(200, R"({"value":[{"name":{"value":"GpuUtil"},"errorCode":"Busy",)"
                                          R"("errorMessage":"later","timeseries":[{"data":[{"average":1}]}]}]})"));
    EXPECT_EQ(got.why.error_class, error_class::peer);
    EXPECT_EQ(got.why.service_code, "Busy");
    EXPECT_NE(got.why.message.find("Busy: later"), std::string::npos) << got.why.message;
}

// ---- strict -------------------------------------------------------------------------------------------------------------
TEST(MonitorAnswer, StrictReadsTheLastPointOfTheFirstSeries) {
    const auto strict = [](const std::string& body, const manifest::trigger_rules& rules = {}) {
        return judged(monitor_trigger(), answered(200, body), rules, manifest::profile::strict);
    };
    EXPECT_EQ(strict(metrics_body(two_series)).sample.value, 10.0);
    EXPECT_EQ(strict(R"({"value":[]})").sample.value, -1.0);  // and no error
    const std::string null_tail = metrics_body(R"({"data":[{"average":5},{}]})");
    EXPECT_NE(strict(null_tail).why.message.find("unsupported aggregation type Average"), std::string::npos);
    manifest::trigger_rules rules;
    rules.last_non_null = true;
    EXPECT_EQ(strict(null_tail, rules).sample.value, 5.0);
    EXPECT_EQ(strict(metrics_body(two_series), reducing("max")).sample.value, 30.0);
}

// ---- batch --------------------------------------------------------------------------------------------------------------
manifest::trigger batch_trigger() {
    return monitor_trigger({{"gputide.io/batch-region", "eastus"}, {"resourceURI", "Ns/type/a,Ns/type/b"}});
}

std::string resource_answer(const std::string& name, const std::string& value) {
    return R"({"resourceid":"/SUBSCRIPTIONS/s1/resourceGroups/g1/providers/ns/type/)" + name +
           R"(","value":[{"name":)" + R"({"value":"GpuUtil"},"timeseries":[{"data":[{"average":)" + value + "}]}]}]}";
}

TEST(MonitorAnswer, BatchMatchesResourcesByTheirIds) {
    const std::string both = R"({"values":[)" + resource_answer("B", "9") + "," + resource_answer("a", "1") + "]}";
    const auto got = judged(batch_trigger(), answered(200, both), reducing("max"));
    EXPECT_EQ(got.sample.value, 9.0) << got.why.message;
    ASSERT_EQ(got.reading.series.size(), 2U);
    EXPECT_EQ(got.reading.series[0].points.back().value, 1.0);  // in the order asked
    EXPECT_EQ(judged(batch_trigger(), answered(200, both)).sample.state, sample_state::ambiguous);
}

TEST(MonitorAnswer, ABatchWithAResourceMissingIsPartial) {
    const auto entry = answered(200, R"({"values":[)" + resource_answer("b", "9") + "]}");
    const auto got = judged(batch_trigger(), entry, reducing("max"));
    EXPECT_EQ(got.sample.state, sample_state::partial);
    EXPECT_NE(got.why.message.find("providers/Ns/type/a"), std::string::npos) << got.why.message;
    manifest::trigger_rules rules = reducing("max");
    rules.accept_partial = true;
    const auto accepted = judged(batch_trigger(), entry, rules);
    EXPECT_EQ(accepted.sample.value, 9.0);
    EXPECT_EQ(accepted.reading.warnings.size(), 1U);
    EXPECT_EQ(judged(batch_trigger(), answered(200, R"({"values":[]})"), rules).sample.state, sample_state::empty);
}

}  // namespace
}  // namespace gputide
