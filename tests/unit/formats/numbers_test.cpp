// The fast reader says what the full reader says, on every case there is and on broken ones.
#include "base/encode.hpp"
#include "formats/query_api/parse.hpp"
#include "formats/reduce.hpp"
#include "support/answers.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>

namespace gputide {
namespace {

using formats::query_api::parse;
using formats::query_api::parse_numbers;
using nlohmann::json;
using testing::answered;
using testing::vector_of;

void expect_same(const http::answer& from, const std::string& about) {
    const auto fast = parse_numbers(from);
    const auto full = parse(from);
    ASSERT_EQ(fast.ok(), full.ok()) << about;
    if (!fast) {
        EXPECT_EQ(fast.failure().error_class, full.failure().error_class) << about;
        return;
    }
    const formats::numbers expected = formats::numbers_of(*full);
    EXPECT_EQ(fast->result_type, expected.result_type) << about;
    EXPECT_EQ(fast->series, expected.series) << about;
    EXPECT_EQ(fast->warnings, expected.warnings) << about;
    EXPECT_EQ(fast->infos, expected.infos) << about;
    EXPECT_EQ(fast->partial, expected.partial) << about;
    ASSERT_EQ(fast->newest.size(), expected.newest.size()) << about;
    for (std::size_t i = 0; i < expected.newest.size(); ++i) {
        EXPECT_EQ(fast->newest[i].time_ms, expected.newest[i].time_ms) << about;
        const double a = fast->newest[i].value;
        const double b = expected.newest[i].value;
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << about << ": " << a << " and " << b;
    }
}

TEST(Numbers, AgreeWithTheFullReaderOnEveryCase) {
    std::ifstream file(testing::file_path("cases/prometheus-api.json"));
    const json cases = json::parse(file).at("cases");
    ASSERT_GT(cases.size(), 100U);
    for (const json& test_case : cases) {
        std::string body;
        if (test_case.contains("body")) body = test_case.at("body").get<std::string>();
        if (test_case.contains("body_b64")) body = decode_base64(test_case.at("body_b64").get<std::string>()).value();
        // Escapes in label texts are the one thing that the fast reader does not look at.
        const std::string id = test_case.at("id").get<std::string>();
        if (id == "bad-escape" || id == "bad-u") continue;
        expect_same(answered(test_case.at("http_status").get<std::int32_t>(), body), id);
    }
}

TEST(Numbers, AgreeOnEverySingleByteChangedOrAdded) {
    const std::string whole = R"({"status":"success","data":{"resultType":"vector","result":[)"
                              R"({"metric":{"a":"x","b":"y"},"value":[17.25,"1e1"]},)"
                              R"({"value":[18,"NaN"],"metric":{}}]},"infos":["i"],"warnings":["w"]})";
    expect_same(answered(200, whole), "whole");
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char c : {' ', '"', ',', ':', '{', '}', '[', ']', '0', 'a', '-', '.', '\n', '\xff'}) {
            std::string changed = whole;
            changed[at] = c;
            expect_same(answered(200, changed), changed);
            std::string longer = whole;
            longer.insert(at, 1, c);
            expect_same(answered(200, longer), longer);
        }
        expect_same(answered(200, whole.substr(0, at)), "cut");
        expect_same(answered(200, whole.substr(0, at) + whole.substr(at + 1)), "one byte less");
    }
}

TEST(Numbers, AgreeOnAValueThatOnlyEndsInAQuote) {
    for (const char* value :
         {".3\"\"", ".3\"+Inf\"", "73\"\"", "x5\"1\"", "-7\"1\"", "7", "null", "true", "[]", "{}"}) {
        const std::string body =
            R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,)" +
            std::string(value) + "]}]}}";
        expect_same(answered(200, body), body);
    }
}

TEST(Numbers, AgreeOnAColonBehindAText) {
    for (const char* notes : {"[\"a\":]]", "[\"a\":]", "[\"a\":\"b\"]", "[\"a\":{}]"}) {
        const std::string body =
            R"({"status":"success","data":{"resultType":"vector","result":[]},"warnings":)" + std::string(notes) + "}";
        expect_same(answered(200, body), body);
    }
}

// simdjson 3.0.1 made 0.0044830722616465242 of the first.
TEST(Numbers, AreExactHoweverManyDigitsAreWritten) {
    const auto got = parse_numbers(
        answered(200, vector_of({"0.7976930674311572433308", "-0.00079769306743115724333", "0.12345678901234567891",
                                 "12345678901234567890.5", "0.1234567890123456789", "0.1"})));
    ASSERT_TRUE(got.ok()) << got.failure().message;
    const std::vector<double> expected{0.7976930674311572433308, -0.00079769306743115724333, 0.12345678901234567891,
                                       12345678901234567890.5,   0.1234567890123456789,      0.1};
    ASSERT_EQ(got->newest.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(got->newest[i].value, expected[i]) << i;
}

TEST(Numbers, AgreeOnATimeOfManyDigits) {
    const std::string body =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[0.7976930674311572433308,"1"]}]}})";
    expect_same(answered(200, body), body);
}

TEST(Numbers, ReadValuesAsGoWritesThem) {
    const auto got =
        parse_numbers(answered(200, vector_of({"42.5", "-0", "5e-324", "1e21", "0x1p-2", "+Inf", "nan", "-1_000.5"})));
    ASSERT_TRUE(got);
    ASSERT_EQ(got->newest.size(), 8U);
    EXPECT_EQ(got->newest[0].value, 42.5);
    EXPECT_TRUE(std::signbit(got->newest[1].value));
    EXPECT_EQ(got->newest[2].value, 5e-324);
    EXPECT_EQ(got->newest[3].value, 1e21);
    EXPECT_EQ(got->newest[4].value, 0.25);
    EXPECT_TRUE(std::isinf(got->newest[5].value));
    EXPECT_EQ(got->newest[7].value, -1000.5);
    EXPECT_TRUE(std::isnan(got->newest[6].value));
    EXPECT_EQ(got->newest[0].time_ms, 1'000'000);
}

TEST(Numbers, SurviveALargeAnswerAndASmallOneAfterIt) {
    const auto large = parse_numbers(answered(200, vector_of(std::vector<std::string>(90'000, "1"))));
    ASSERT_TRUE(large);
    EXPECT_EQ(large->series, 90'000U);
    const auto small = parse_numbers(answered(200, vector_of({"2"})));
    ASSERT_TRUE(small);
    EXPECT_EQ(small->newest[0].value, 2.0);
}

using formats::known_reducer;
using formats::point;
using formats::reduce;

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

}  // namespace

}  // namespace gputide
