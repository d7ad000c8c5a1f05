// azure-log-analytics: which cell counts, and why there is none.
#include "support.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using testing::answered;
using testing::judged;
using testing::logs_trigger;
using testing::table_body;

source::fetched of(const std::string& columns, const std::string& rows, const manifest::trigger_rules& rules = {},
                   manifest::profile as = manifest::profile::standard) {
    return judged(logs_trigger(), answered(200, table_body(columns, rows)), rules, as);
}

std::string column(const std::string& type) { return R"({"name":"v","type":")" + type + R"("})"; }

TEST(LogsAnswer, TheFirstCellByItsType) {
    EXPECT_EQ(of(column("int"), "[3]").sample.value, 3.0);
    EXPECT_EQ(of(column("real"), "[0]").sample.state, sample_state::ok);
    EXPECT_EQ(of(column("long"), "[9007199254740993]").sample.value, 9007199254740992.0);
    EXPECT_EQ(of(column("decimal"), R"(["12.5"])").sample.value, 12.5);
    EXPECT_EQ(of(column("decimal"), R"(["12.5"])", {}, manifest::profile::strict).why.error_class,
              error_class::bad_type);
    for (const char* type : {"bool", "datetime", "dynamic", "guid", "string", "timespan"}) {
        const auto got = of(column(type), R"(["5"])");
        EXPECT_EQ(got.why.error_class, error_class::bad_type) << type;
        EXPECT_NE(got.why.message.find(type), std::string::npos);
        EXPECT_NE(got.why.message.find("project the number first"), std::string::npos);
    }
}

TEST(LogsAnswer, WhatIsNoNumberIsABadValue) {
    for (const char* cell : {R"("NaN")", R"("Infinity")", R"("5")", "true", "-1", "{}"}) {
        EXPECT_EQ(of(column("real"), "[" + std::string(cell) + "]").why.error_class, error_class::bad_value) << cell;
    }
    EXPECT_NE(of(column("real"), "[-1]").why.message.find("value should be >=0, but received -1"), std::string::npos);
    EXPECT_EQ(of(column("decimal"), R"(["1e400"])").why.error_class, error_class::bad_value);
}

TEST(LogsAnswer, NothingIsNeverZero) {
    for (const auto& got :
         {of(column("real"), "[null]"), of(column("real"), ""), of("", ""),
          judged(logs_trigger(), answered(200, R"({"tables":[]})")), judged(logs_trigger(), answered(204, ""))}) {
        EXPECT_EQ(got.sample.state, sample_state::empty) << got.why.message;
        EXPECT_EQ(got.why.error_class, error_class::no_data);
        EXPECT_FALSE(got.sample.null_as_zero);
    }
}

TEST(LogsAnswer, SeveralRowsNeedAReducer) {
    const auto got = of(column("real"), "[1],[5],[null]");
    EXPECT_EQ(got.sample.state, sample_state::ambiguous);
    EXPECT_NE(got.why.message.find("too many rows in query result: 3, expected: 1"), std::string::npos);
    manifest::trigger_rules rules;
    rules.reduce = "avg";
    EXPECT_EQ(of(column("real"), "[1],[5],[null]", rules).sample.value, 3.0);
    EXPECT_EQ(of(column("real"), "[null],[null]", rules).sample.state, sample_state::empty);
    const auto tables = judged(logs_trigger(), answered(200, R"({"tables":[{},{}]})"), rules);
    EXPECT_NE(tables.why.message.find("too many tables in query result: 2"), std::string::npos);
}

TEST(LogsAnswer, FurtherColumnsAreTimeAndLabels) {
    const auto got =
        of(column("real") + R"(,{"name":"TimeGenerated","type":"datetime"},{"name":"Tags","type":"string"},)"
                            R"({"name":"n","type":"int"})",
           R"([5,"2025-10-09T08:50:00Z","{\"gpuId\":\"GPU-1\",\"slot\":2}",7])");
    EXPECT_EQ(got.sample.time_ms, 1'759'999'800'000);
    ASSERT_EQ(got.reading.series.size(), 1U);
    EXPECT_EQ(
        got.reading.series[0].labels,
        (source::labels{{"TimeGenerated", "2025-10-09T08:50:00Z"}, {"gpuId", "GPU-1"}, {"slot", "2"}, {"n", "7"}}));
}

TEST(LogsAnswer, APartialResultIsNoWholeOne) {
    const auto answer =
        answered(200, table_body(column("real"), "[40]",
                                 R"(,"error":{"code":"PartialError","message":"some errors","details":[)"
                                 R"({"code":"EngineError","innererror":{"message":"limit exceeded"}}]})"));
    const auto got = judged(logs_trigger(), answer);
    EXPECT_EQ(got.sample.state, sample_state::partial);
    EXPECT_NE(got.why.message.find("PartialError: some errors / EngineError / limit exceeded"), std::string::npos)
        << got.why.message;
    manifest::trigger_rules rules;
    rules.accept_partial = true;
    const auto accepted = judged(logs_trigger(), answer, rules);
    EXPECT_EQ(accepted.sample.value, 40.0);
    EXPECT_EQ(accepted.reading.warnings.size(), 1U);
    EXPECT_EQ(judged(logs_trigger(), answer, {}, manifest::profile::strict).sample.value, 40.0);
}

TEST(LogsAnswer, VanishedMetricsOfContainerInsightsSayWhere) {
    for (const char* name : {"containerGpuDutyCycle", "containerGpumemoryUsedBytes", "containerGpumemoryTotalBytes"}) {
        const auto from = logs_trigger({{"query", "InsightsMetrics | where Name == \"" + std::string(name) + "\""}});
        for (const char* rows : {"", "[null]"}) {
            const auto got = judged(from, answered(200, table_body(column("real"), rows)));
            EXPECT_EQ(got.why.error_class, error_class::no_data);
            EXPECT_NE(got.why.message.find(std::string(name) + " is no longer collected"), std::string::npos);
            EXPECT_NE(got.why.message.find("Managed Prometheus with the DCGM exporter"), std::string::npos);
        }
    }
    EXPECT_EQ(of(column("real"), "").why.message.find("DCGM"), std::string::npos);
}

TEST(LogsAnswer, RefusalsInTheServicesWords) {
    const auto syntax = judged(
        logs_trigger(),
        answered(400, R"({"error":{"code":"BadArgumentError","message":"bad","innererror":{"code":"SyntaxError",)"
                      R"("message":"no","innererror":{"code":"SYN0002","message":"x","line":1,"pos":20}}}})"));
    EXPECT_EQ(syntax.why.status, status::rejected);
    EXPECT_NE(syntax.why.message.find("BadArgumentError > SyntaxError > SYN0002"), std::string::npos);
    const auto heavy = judged(logs_trigger(), answered(504, ""));
    EXPECT_EQ(heavy.sample.state, sample_state::timeout);
    EXPECT_EQ(heavy.why.error_class, error_class::timeout);
    const auto bare = judged(logs_trigger(), answered(200, ""));
    EXPECT_EQ(bare.why.status, status::protocol);
    EXPECT_NE(bare.why.message.find("Content-Type"), std::string::npos);
}

}  // namespace
}  // namespace gputide
