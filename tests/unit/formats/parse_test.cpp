// The full reader, beyond the conformance cases: limits, the document's end, what errors say.
#include "formats/query_api/parse.hpp"

#include "base/limits.hpp"
#include "support/answers.hpp"

#include <gtest/gtest.h>

namespace gputide {
namespace {

using formats::query_api::milliseconds;
using formats::query_api::parse;
using testing::answered;
using testing::vector_of;

std::string error_class_of(const http::answer& from) {
    const auto got = parse(from);
    return got ? "ok" : std::string(class_word(got.failure().error_class));
}

TEST(Milliseconds, RoundsHalfUpAndRefusesWhatDoesNotFit) {
    EXPECT_EQ(milliseconds(1795224311.1239), 1795224311124);
    EXPECT_EQ(milliseconds(1795224339.62), 1795224339620);
    EXPECT_EQ(milliseconds(0.0005), 1);
    EXPECT_EQ(milliseconds(-1.5), -1500);
    EXPECT_FALSE(milliseconds(1e300));
    EXPECT_FALSE(milliseconds(-1e300));
}

TEST(Parse, ReadsLabelsAndPoints) {
    const auto got = parse(answered(200, vector_of({"1.5", "-Inf"})));
    ASSERT_TRUE(got);
    ASSERT_EQ(got->series.size(), 2U);
    EXPECT_EQ(got->series[1].labels, (formats::labels{{"gpu", "1"}}));
    EXPECT_EQ(got->series[0].points[0].time_ms, 1'000'000);
    EXPECT_EQ(got->series[0].points[0].value, 1.5);
}

TEST(Parse, EveryCutOfAnAnswerIsAnErrorThatMayPass) {
    const std::string whole = vector_of({"1", "2"});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto got = parse(answered(200, whole.substr(0, size)));
        ASSERT_FALSE(got) << size;
        EXPECT_EQ(got.failure().error_class, error_class::not_json) << size;
        EXPECT_TRUE(got.failure().retryable) << size;
    }
}

TEST(Parse, AnythingBehindTheDocumentIsAnError) {
    for (const char* tail : {"x", "}", "{}", "null", ",", "\xff", "1"}) {
        EXPECT_EQ(error_class_of(answered(200, vector_of({"1"}) + tail)), "not_json") << tail;
    }
    EXPECT_EQ(error_class_of(answered(200, vector_of({"1"}) + " \r\n\t ")), "ok");
}

TEST(Parse, ABodyWithoutPaddingBehindItReadsAsWell) {
    std::string body = vector_of({"7"});
    body.shrink_to_fit();
    const auto got = parse(answered(200, body));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->series[0].points[0].value, 7.0);
}

TEST(Parse, BracketsOfTheWrongKindOrInsideSkippedMembersAreNoJson) {
    EXPECT_EQ(
        error_class_of(answered(200, R"({"x":[1,,2],"status":"success","data":{"resultType":"vector","result":[]}})")),
        "not_json");
    EXPECT_EQ(
        error_class_of(answered(200, R"({"x":tru,"status":"success","data":{"resultType":"vector","result":[]}})")),
        "not_json");
    EXPECT_EQ(error_class_of(answered(200, R"({"status":"success","data":{"resultType":"vector","result":[}}})")),
              "not_json");
}

TEST(Parse, KnownMembersTwiceAreRefused) {
    const std::string data = R"("data":{"resultType":"vector","result":[]})";
    EXPECT_EQ(error_class_of(answered(200, R"({"status":"success","status":"error",)" + data + "}")), "shape");
    EXPECT_EQ(error_class_of(answered(200, R"({"status":"success",)" + data + "," + data + "}")), "shape");
}

TEST(Parse, OfALabelGivenTwiceTheFirstOneHolds) {
    const auto got = parse(answered(
        200,
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"b":"1","a":"2","b":"3"},"value":[1,"1"]}]}})"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->series[0].labels, (formats::labels{{"b", "1"}, {"a", "2"}}));
}

TEST(Parse, MoreSeriesThanAllowedAreALimit) {
    const std::string text = R"({"metric":{},"value":[1,"1"]})";
    std::string body = R"({"status":"success","data":{"resultType":"vector","result":[)" + text;
    for (std::size_t i = 0; i < limits::series; ++i) body += "," + text;
    body += "]}}";
    EXPECT_EQ(error_class_of(answered(200, body)), "limit");
    const auto numbers = formats::query_api::parse_numbers(answered(200, body));
    ASSERT_FALSE(numbers);
    EXPECT_EQ(numbers.failure().status, status::limit);
}

TEST(Parse, ABodyOverTheLimitIsNotRead) {
    EXPECT_EQ(error_class_of(answered(200, std::string(limits::response_bytes + 1, ' '))), "limit");
}

TEST(Parse, NestingDeeperThanTheReaderIsALimitAndNeverACrash) {
    const std::string open(100'000, '[');
    const std::string close(100'000, ']');
    EXPECT_EQ(error_class_of(answered(200, "{\"x\":" + open + close + "}")), "limit");
    EXPECT_EQ(error_class_of(answered(200, "{\"x\":" + open)), "not_json");
}

TEST(Parse, AnErrorTellsTheServerSOwnWordsAndTheRemedy) {
    const auto got = parse(answered(400, R"({"status":"error","errorType":"bad_data","error":"1:4: parse error: x"})"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::rejected);
    EXPECT_EQ(got.failure().http_status, 400);
    EXPECT_EQ(got.failure().service_code, "bad_data");
    EXPECT_NE(got.failure().message.find("1:4: parse error: x"), std::string::npos);
    EXPECT_NE(got.failure().message.find("correct the trigger's query"), std::string::npos);
}

TEST(Parse, StatusesTellWhoseMatterItIs) {
    EXPECT_EQ(parse(answered(401, "")).failure().status, status::auth);
    EXPECT_EQ(parse(answered(403, "")).failure().status, status::forbidden);
    EXPECT_EQ(parse(answered(429, "")).failure().status, status::throttled);
    EXPECT_EQ(parse(answered(502, "")).failure().status, status::unavailable);
    EXPECT_EQ(parse(answered(404, "")).failure().status, status::rejected);
    EXPECT_EQ(parse(answered(302, "")).failure().status, status::protocol);
    EXPECT_EQ(parse(answered(401, R"({"status":"error","errorType":"Unauthorized","error":"x"})")).failure().status,
              status::auth);
}

TEST(Parse, AGatewaysStatusCountsWhateverTheBodySays) {
    const auto got = [](std::int32_t http_status, const std::string& text = "x") {
        return parse(answered(http_status, R"({"status":"error","errorType":"execution","error":")" + text + "\"}"))
            .failure();
    };
    EXPECT_EQ(got(401).status, status::auth);
    EXPECT_EQ(got(403).status, status::forbidden);
    EXPECT_EQ(got(403, "context deadline exceeded").status, status::forbidden);
    EXPECT_FALSE(got(403).retryable);
    EXPECT_EQ(got(429).status, status::throttled);
    EXPECT_EQ(got(503).status, status::unavailable);
    EXPECT_TRUE(got(503).retryable);
    EXPECT_EQ(got(422).status, status::rejected);
    EXPECT_EQ(got(422, "context deadline exceeded").status, status::unavailable);
    EXPECT_EQ(got(403).service_code, "execution");
}

TEST(Parse, APageInsteadOfJsonIsAFieldAndNotInTheMessage) {
    const auto got = parse(answered(200, "<html><title>Sign in</title></html>", {{"Content-Type", "text/html"}}));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().error_class, error_class::not_json);
    EXPECT_FALSE(got.failure().retryable);
    EXPECT_NE(got.failure().message.find("text/html"), std::string::npos);
    EXPECT_EQ(got.failure().message.find("Sign in"), std::string::npos);
    EXPECT_NE(detail_json(got.failure()).find(R"("body":"an HTML page with the title \"Sign in\"")"), std::string::npos)
        << detail_json(got.failure());
    const auto refused = parse(answered(500, "inner page"));
    EXPECT_EQ(refused.failure().message.find("inner page"), std::string::npos) << refused.failure().message;
    EXPECT_NE(detail_json(refused.failure()).find(R"("body":"inner page")"), std::string::npos);
}

TEST(Parse, ARedirectTellsWhereToWithoutTheQuery) {
    const auto got = parse(answered(302, "", {{"Location", "https://login.example/authorize?state=secret#x"}}));
    ASSERT_FALSE(got);
    EXPECT_NE(got.failure().message.find("https://login.example/authorize"), std::string::npos);
    EXPECT_EQ(got.failure().message.find("secret"), std::string::npos);
}

TEST(Parse, FaultsOfTheTransportKeepTheirMeaning) {
    http::answer lost;
    lost.fault = http::fault::connect;
    lost.fault_text = "connection refused (127.0.0.1:9090)";
    const auto got = parse(lost);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.failure().status, status::unavailable);
    EXPECT_TRUE(got.failure().retryable);
    EXPECT_NE(got.failure().message.find("connection refused (127.0.0.1:9090)"), std::string::npos);
    lost.fault = http::fault::tls_verify;
    EXPECT_EQ(parse(lost).failure().status, status::security);
    EXPECT_FALSE(parse(lost).failure().retryable);
}

}  // namespace
}  // namespace gputide
