// Allocator, log and cancel; what the log says at level DEBUG.

#include "support.hpp"
#include "support/fault_server.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

TEST(Hooks, TheAllocatorComesFirstOrNotAtAll) {
    auto err = sized<gputide_error>();
    gputide_allocator broken = sized<gputide_allocator>();
    // The order of tests is not ours, so either no text was given yet (then NULL functions are refused) or one was.
    const gputide_status got = gputide_set_allocator(&broken, &err);
    EXPECT_TRUE(got == GPUTIDE_E_INVALID || got == GPUTIDE_E_STATE);

    gputide_policy* policy = nullptr;
    ASSERT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_OK);
    owned_text text;
    ASSERT_EQ(gputide_policy_describe(policy, &text.value, &err), GPUTIDE_OK);
    EXPECT_EQ(gputide_set_allocator(nullptr, &err), GPUTIDE_E_STATE);
    gputide_policy_free(policy);
}

struct collected {
    std::vector<std::string> lines;
    int finalized = 0;
};

void write_line(void* user_data, int32_t, const char* line) {
    static_cast<collected*>(user_data)->lines.emplace_back(line);
}
void finalize(void* user_data) { ++static_cast<collected*>(user_data)->finalized; }

// A scaler with one trigger that is never pushed: it logs a warning.
void tick_unread() {
    gputide_scaler* scaler = nullptr;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr), GPUTIDE_OK);
    auto seen = sized<gputide_observation>();
    seen.now_ms = 1795255200000;
    seen.current_replicas = 1;
    auto next = sized<gputide_decision>();
    EXPECT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, nullptr, nullptr), GPUTIDE_OK);
    gputide_scaler_free(scaler);
}

TEST(Hooks, LogLinesArePushed) {
    collected seen;
    auto sink = sized<gputide_log_sink>();
    sink.level = GPUTIDE_LOG_WARNING;
    sink.write = write_line;
    sink.finalize = finalize;
    sink.user_data = &seen;
    ASSERT_EQ(gputide_set_log(&sink, nullptr), GPUTIDE_OK);
    tick_unread();
    ASSERT_FALSE(seen.lines.empty());
    EXPECT_NE(seen.lines.front().find("default/demo"), std::string::npos) << seen.lines.front();
    ASSERT_EQ(gputide_set_log(nullptr, nullptr), GPUTIDE_OK);
    EXPECT_EQ(seen.finalized, 1);
}

TEST(Hooks, EachReaderPullsEveryLineOfItsLevel) {
    auto err = sized<gputide_error>();
    gputide_log_reader* warnings = nullptr;
    gputide_log_reader* errors = nullptr;
    ASSERT_EQ(gputide_log_open(GPUTIDE_LOG_WARNING, &warnings, &err), GPUTIDE_OK);
    ASSERT_EQ(gputide_log_open(GPUTIDE_LOG_ERROR, &errors, &err), GPUTIDE_OK);
    gputide_log_reader* second = nullptr;
    ASSERT_EQ(gputide_log_open(GPUTIDE_LOG_DEBUG, &second, &err), GPUTIDE_OK);
    tick_unread();
    owned_text line;
    int32_t level = 0;
    for (gputide_log_reader* reader : {warnings, second}) {
        ASSERT_EQ(gputide_log_next(reader, 0, nullptr, &line.value, &level, &err), GPUTIDE_OK) << err.message;
        EXPECT_EQ(level, GPUTIDE_LOG_WARNING);
        EXPECT_NE(line.str().find("default/demo"), std::string::npos) << line.str();
    }
    EXPECT_EQ(gputide_log_next(errors, 0, nullptr, &line.value, nullptr, &err), GPUTIDE_E_NO_DATA);
    for (gputide_log_reader* reader : {warnings, errors, second}) gputide_log_free(reader);
}

TEST(Hooks, AReaderKeepsTheNewestLines) {
    gputide_log_reader* reader = nullptr;
    ASSERT_EQ(gputide_log_open(GPUTIDE_LOG_DEBUG, &reader, nullptr), GPUTIDE_OK);
    for (int i = 0; i < 300; ++i) tick_unread();
    owned_text line;
    int lines = 0;
    while (gputide_log_next(reader, 0, nullptr, &line.value, nullptr, nullptr) == GPUTIDE_OK) ++lines;
    EXPECT_EQ(lines, 256);
    gputide_log_free(reader);
}

TEST(Hooks, AWaitForALineEnds) {
    auto err = sized<gputide_error>();
    gputide_log_reader* reader = nullptr;
    gputide_cancel* cancel = nullptr;
    owned_text line;
    ASSERT_EQ(gputide_log_open(GPUTIDE_LOG_WARNING, &reader, &err), GPUTIDE_OK);
    ASSERT_EQ(gputide_cancel_new(&cancel, &err), GPUTIDE_OK);
    EXPECT_EQ(gputide_log_next(reader, 20, nullptr, &line.value, nullptr, &err), GPUTIDE_E_NO_DATA);
    EXPECT_EQ(gputide_log_next(reader, -2, nullptr, &line.value, nullptr, &err), GPUTIDE_E_INVALID);
    std::thread later([&] { tick_unread(); });
    EXPECT_EQ(gputide_log_next(reader, GPUTIDE_FOREVER, nullptr, &line.value, nullptr, &err), GPUTIDE_OK);
    later.join();
    std::thread firing([&] { gputide_cancel_fire(cancel); });
    EXPECT_EQ(gputide_log_next(reader, GPUTIDE_FOREVER, cancel, &line.value, nullptr, &err), GPUTIDE_E_CANCELLED);
    firing.join();
    std::thread closing([&] { gputide_log_close(reader); });
    EXPECT_EQ(gputide_log_next(reader, GPUTIDE_FOREVER, nullptr, &line.value, nullptr, &err), GPUTIDE_E_CANCELLED);
    closing.join();
    gputide_log_close(reader);
    EXPECT_EQ(gputide_log_next(reader, 0, nullptr, &line.value, nullptr, &err), GPUTIDE_E_CANCELLED);
    gputide_cancel_free(cancel);
    gputide_log_free(reader);
}

TEST(Hooks, AFiredCancelEndsTheNextCallAtOnce) {
    auto err = sized<gputide_error>();
    gputide_cancel* cancel = nullptr;
    ASSERT_EQ(gputide_cancel_new(&cancel, &err), GPUTIDE_OK);
    gputide_source* source = nullptr;
    ASSERT_EQ(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, &err), GPUTIDE_OK) << err.message;
    gputide_cancel_fire(cancel);
    auto entry = sized<gputide_sample>();
    EXPECT_EQ(gputide_source_fetch(source, 1795255200000, 5000, cancel, &entry, &err), GPUTIDE_E_CANCELLED);
    EXPECT_EQ(gputide_source_fetch(source, 1795255200000, 5000, cancel, &entry, &err), GPUTIDE_E_CANCELLED)
        << "for good";
    EXPECT_EQ(gputide_source_fetch(source, 1795255200000, 5000, nullptr, &entry, &err), GPUTIDE_E_UNAVAILABLE)
        << err.message;
    gputide_source_free(source);
    gputide_cancel_free(cancel);
}

// Level DEBUG: what is asked and how, what came of it, what was decided, and no secret.

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
