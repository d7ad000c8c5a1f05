// One metric through the C API: the two pure halves, and a fetch from a closed port.
#include "support.hpp"

#include <gtest/gtest.h>

namespace {

class Source : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, &err), GPUTIDE_OK)
            << err.message;
    }
    void TearDown() override { gputide_source_free(source); }

    gputide_error err = sized<gputide_error>();
    gputide_source* source = nullptr;
    gputide_sample sample = sized<gputide_sample>();
};

TEST_F(Source, TheRequestIsWhatKedaSends) {
    owned_text json;
    ASSERT_EQ(gputide_source_request(source, 1795255200000, &json.value, &err), GPUTIDE_OK);
    const std::string text = json.str();
    EXPECT_NE(
        text.find("http://127.0.0.1:1/api/v1/query?query=avg%28DCGM_FI_DEV_GPU_UTIL%29&time=2026-11-21T10:00:00Z"),
        std::string::npos)
        << text;
}

TEST_F(Source, AnAnswerBecomesASample) {
    const char* body =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"42.5"]}]}})";
    ASSERT_EQ(gputide_source_parse(source, 200, body, GPUTIDE_TEXT, &sample, &err), GPUTIDE_OK) << err.message;
    EXPECT_EQ(sample.value, 42.5);
    EXPECT_EQ(sample.state, GPUTIDE_SAMPLE_OK);
}

TEST_F(Source, NothingReadsAsZeroAndSaysSo) {
    const char* body = R"({"status":"success","data":{"resultType":"vector","result":[]}})";
    ASSERT_EQ(gputide_source_parse(source, 200, body, GPUTIDE_TEXT, &sample, &err), GPUTIDE_OK);
    EXPECT_EQ(sample.value, 0.0);
    EXPECT_EQ(sample.flags, static_cast<std::uint32_t>(GPUTIDE_SAMPLE_NULL_AS_ZERO));
}

TEST_F(Source, AnErrorIsTheServersOwn) {
    const char* body =
        R"({"status":"error","errorType":"bad_data","error":"1:5: parse error: unexpected end of input"})";
    EXPECT_EQ(gputide_source_parse(source, 400, body, GPUTIDE_TEXT, &sample, &err), GPUTIDE_E_REJECTED);
    EXPECT_STREQ(err.service_code, "bad_data");
    EXPECT_EQ(err.http_status, 400);
    EXPECT_NE(std::string(err.message).find("parse error"), std::string::npos) << err.message;
    EXPECT_NE(sample.state, GPUTIDE_SAMPLE_OK);
}

TEST_F(Source, AnAnswerThatIsNoneIsToBeMendedAndNotRepeated) {
    EXPECT_EQ(gputide_source_parse(source, 200, "<html>sign in</html>", GPUTIDE_TEXT, &sample, &err),
              GPUTIDE_E_PROTOCOL);
    EXPECT_EQ(err.retryable, 0);
    EXPECT_EQ(err.action, GPUTIDE_ACTION_FIX_CONFIGURATION);
    const char* cut = R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},)";
    EXPECT_EQ(gputide_source_parse(source, 200, cut, GPUTIDE_TEXT, &sample, &err), GPUTIDE_E_PROTOCOL);
    EXPECT_EQ(err.retryable, 1);
    EXPECT_EQ(err.action, GPUTIDE_ACTION_RETRY);
    owned_text claims;
    EXPECT_NE(gputide_token_claims("abc", GPUTIDE_TEXT, &claims.value, &err), GPUTIDE_OK);
    EXPECT_EQ(err.retryable, 0);
    EXPECT_NE(err.action, GPUTIDE_ACTION_RETRY);
}

TEST_F(Source, DescribesItself) {
    owned_text json;
    ASSERT_EQ(gputide_source_describe(source, &json.value, &err), GPUTIDE_OK) << err.message;
    EXPECT_NE(json.str().find("s0-prometheus"), std::string::npos) << json.str();
}

TEST_F(Source, AWholeAnswerIsJson) {
    const char* body = R"({"status":"success","warnings":["w"],"data":{"resultType":"vector","result":[)"
                       R"({"metric":{"gpu":"0"},"value":[1,"42.5"]},{"metric":{"gpu":"1"},"value":[1,"+Inf"]}]}})";
    owned_text json;
    ASSERT_EQ(gputide_source_parse_all(source, 200, "Content-Type: application/json\r\n", GPUTIDE_TEXT, body,
                                       GPUTIDE_TEXT, &json.value, &err),
              GPUTIDE_OK)
        << err.message;
    for (const char* part : {R"("labels":{"gpu":"0"})", R"("value":42.5)", R"("value":null,"text":"+Inf")",
                             R"("warnings":["w"])", R"("partial":false)"}) {
        EXPECT_NE(json.str().find(part), std::string::npos) << part << " in " << json.str();
    }
}

TEST_F(Source, HeadersOfAnAnswerCount) {
    owned_text all;
    EXPECT_EQ(gputide_source_parse_all(source, 429, "Date: Sat, 21 Nov 2026 10:00:00 GMT\nRetry-After: 7\n",
                                       GPUTIDE_TEXT, "slow down", GPUTIDE_TEXT, &all.value, &err),
              GPUTIDE_E_THROTTLED);
    EXPECT_EQ(all.value.data, nullptr);
}

TEST(Quantity, InThousandths) {
    auto err = sized<gputide_error>();
    std::int64_t milli = 0;
    ASSERT_EQ(gputide_quantity("1500m", GPUTIDE_TEXT, &milli, &err), GPUTIDE_OK);
    EXPECT_EQ(milli, 1500);
    ASSERT_EQ(gputide_quantity("2Ki", GPUTIDE_TEXT, &milli, &err), GPUTIDE_OK);
    EXPECT_EQ(milli, 2'048'000);
    EXPECT_EQ(gputide_quantity("1 Ki", GPUTIDE_TEXT, &milli, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(milli, 2'048'000);
}

TEST_F(Source, NobodyListens) {
    owned_text all;
    EXPECT_EQ(gputide_source_fetch(source, 1795255200000, 3000, nullptr, &sample, &err), GPUTIDE_E_UNAVAILABLE);
    EXPECT_NE(std::string(err.message).find("127.0.0.1:1"), std::string::npos) << err.message;
    EXPECT_EQ(err.retryable, 1);
    EXPECT_EQ(gputide_source_fetch_all(source, 1795255200000, 3000, nullptr, &all.value, &err), GPUTIDE_E_UNAVAILABLE);
    EXPECT_EQ(all.value.data, nullptr);
}

TEST(SourceText, ErrorsNameKeyAndPlace) {
    auto err = sized<gputide_error>();
    gputide_source* source = nullptr;
    EXPECT_EQ(gputide_source_open("type: prometheus\nmetadata:\n  query: up\n", GPUTIDE_TEXT, nullptr, &source, &err),
              GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("serverAddress"), std::string::npos) << err.message;
    EXPECT_EQ(gputide_source_open("metadata: {}\n", GPUTIDE_TEXT, nullptr, &source, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(source, nullptr);
}

// A diagnosis through the C API: values that the host pushes, a server that does not run, a manifest that is none.

constexpr char stopped_server[] = R"x({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"demo"},
    "spec":{"scaleTargetRef":{"name":"demo"},"minReplicaCount":2,"triggers":[{"type":"prometheus","metadata":{
    "serverAddress":"http://127.0.0.1:1","query":"up","threshold":"5"}}]}})x";

class Doctor : public testing::Test {
  protected:
    gputide_status examine(const char* manifest, const gputide_observation* seen) {
        return gputide_doctor(manifest, GPUTIDE_TEXT, nullptr, seen, 5000, nullptr, &report.value, &lines.value, &err);
    }
    bool says(const owned_text& text, const char* part) const { return text.str().find(part) != std::string::npos; }

    gputide_error err = sized<gputide_error>();
    owned_text report, lines;
};

TEST_F(Doctor, AValueThatTheHostPushesIsJudged) {
    gputide_sample sample = sized<gputide_sample>();
    sample.state = GPUTIDE_SAMPLE_OK;
    sample.value = 42.5;
    auto seen = sized<gputide_observation>();
    seen.now_ms = 1795255200000;
    seen.current_replicas = 3;
    seen.samples = &sample;
    seen.sample_count = 1;
    seen.sample_size = sizeof sample;
    ASSERT_EQ(examine(pushed_manifest, &seen), GPUTIDE_OK) << err.message;
    EXPECT_TRUE(says(report, R"("verdict":"ok")")) << report.str();
    EXPECT_TRUE(says(report, "active: 42.5 > 2")) << report.str();
    EXPECT_TRUE(says(lines, "demo: no problem found: 3 -> 6 replicas; the metrics ask for 9")) << lines.str();
}

TEST_F(Doctor, AFailedStepIsNoFailedCall) {
    ASSERT_EQ(examine(stopped_server, nullptr), GPUTIDE_OK) << err.message;
    EXPECT_TRUE(says(report, R"("failed_step":"endpoint")")) << report.str();
    EXPECT_TRUE(says(report, "stays at 2 replicas (assumed current size: 2)")) << report.str();
    EXPECT_TRUE(says(lines, "FAILED  endpoint")) << lines.str();
}

TEST_F(Doctor, LinesAreForThoseWhoAsk) {
    ASSERT_EQ(
        gputide_doctor(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, 5000, nullptr, &report.value, nullptr, &err),
        GPUTIDE_OK);
    EXPECT_TRUE(says(report, "nothing is requested"));
}

TEST_F(Doctor, AManifestThatCannotBeReadFailsTheCall) {
    EXPECT_EQ(examine(R"({"kind":"ScaledObject"})", nullptr), GPUTIDE_E_INVALID);
    EXPECT_EQ(report.value.data, nullptr);
    EXPECT_EQ(lines.value.data, nullptr);
}

TEST_F(Doctor, ACancelEndsIt) {
    gputide_cancel* stop = nullptr;
    ASSERT_EQ(gputide_cancel_new(&stop, &err), GPUTIDE_OK);
    gputide_cancel_fire(stop);
    EXPECT_EQ(gputide_doctor(stopped_server, GPUTIDE_TEXT, nullptr, nullptr, 5000, stop, &report.value, nullptr, &err),
              GPUTIDE_E_CANCELLED);
    gputide_cancel_free(stop);
}

}  // namespace
