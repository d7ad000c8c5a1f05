// Level DEBUG: what is asked and how, what came of it, what was decided, and no secret.
#include "support.hpp"
#include "support/fault_server.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using gputide::testing::answering;
using gputide::testing::fault_server;
using gputide::testing::plain_answer;

constexpr char secret[] = "hunter2-and-more";

std::string bearer_manifest(const std::string& server) {
    return "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: llm, namespace: ml}\n"
           "spec:\n  scaleTargetRef: {name: llm}\n  triggers:\n"
           "  - type: prometheus\n    authenticationRef: {name: a}\n"
           "    metadata: {serverAddress: \"" +
           server +
           "\", query: gpu_busy, threshold: \"5\", authModes: bearer}\n"
           "---\napiVersion: keda.sh/v1alpha1\nkind: TriggerAuthentication\nmetadata: {name: a, namespace: ml}\n"
           "spec:\n  secretTargetRef: [{parameter: bearerToken, name: s, key: t}]\n"
           "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ml}\nstringData: {t: " +
           secret + "}\n";
}

// One tick of a scaler, and the lines that it logged at this level.
std::string lines_of_a_tick(const std::string& server, std::int32_t level) {
    gputide_log_reader* reader = nullptr;
    EXPECT_EQ(gputide_log_open(level, &reader, nullptr), GPUTIDE_OK);
    gputide_scaler* scaler = nullptr;
    auto err = sized<gputide_error>();
    EXPECT_EQ(gputide_scaler_open(bearer_manifest(server).c_str(), GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK)
        << err.message;
    auto seen = sized<gputide_observation>();
    seen.now_ms = start_ms;
    seen.current_replicas = 3;
    auto next = sized<gputide_decision>();
    EXPECT_EQ(gputide_scaler_tick(scaler, &seen, 10'000, nullptr, &next, nullptr, &err), GPUTIDE_OK) << err.message;
    gputide_scaler_free(scaler);
    std::string out;
    for (;;) {
        owned_text line;
        std::int32_t of = 0;
        if (gputide_log_next(reader, 0, nullptr, &line.value, &of, nullptr) != GPUTIDE_OK) break;
        out += (of == GPUTIDE_LOG_DEBUG ? "debug: " : "other: ") + line.str() + "\n";
    }
    gputide_log_free(reader);
    return out;
}

TEST(DebugLog, TellsRequestsReadsAndDecisions) {
    fault_server server(answering([](const std::string&) {
        return plain_answer(
            R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795255200,"42.5"]}]}})");
    }));
    const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
    const std::string lines = lines_of_a_tick(url, GPUTIDE_LOG_DEBUG);
    for (const std::string& expected :
         {"debug: GET " + url + "/api/v1/query with a credential: HTTP 200, ",
          std::string("debug: ml/llm: s0-prometheus: gpu_busy: 42.5, "), std::string("debug: ml/llm: 3 -> 6 replicas")})
        EXPECT_NE(lines.find(expected), std::string::npos) << expected << "\nin\n" << lines;
    EXPECT_EQ(lines.find(secret), std::string::npos) << lines;
    EXPECT_EQ(lines_of_a_tick(url, GPUTIDE_LOG_INFO), "");
}

TEST(DebugLog, TellsWhatFailed) {
    const std::string lines = lines_of_a_tick("http://127.0.0.1:1", GPUTIDE_LOG_DEBUG);
    EXPECT_NE(lines.find("debug: GET http://127.0.0.1:1/api/v1/query with a credential: connect, "), std::string::npos)
        << lines;
    EXPECT_EQ(lines.find(secret), std::string::npos) << lines;
}

}  // namespace
