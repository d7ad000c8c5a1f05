// Allocator, log and cancel.
#include "door.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
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

// A scaler whose one trigger nobody pushes: it logs a warning.
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

TEST(Hooks, LogLinesArePulled) {
    auto err = sized<gputide_error>();
    auto sink = sized<gputide_log_sink>();
    sink.level = GPUTIDE_LOG_WARNING;
    ASSERT_EQ(gputide_set_log(&sink, &err), GPUTIDE_OK);
    tick_unread();
    owned_text line;
    int32_t level = 0;
    ASSERT_EQ(gputide_log_take(&line.value, &level, &err), GPUTIDE_OK);
    EXPECT_EQ(level, GPUTIDE_LOG_WARNING);
    while (gputide_log_take(&line.value, nullptr, &err) == GPUTIDE_OK) gputide_text_free(&line.value);
    EXPECT_EQ(err.status, GPUTIDE_E_NO_DATA);
    ASSERT_EQ(gputide_set_log(nullptr, &err), GPUTIDE_OK);
}

TEST(Hooks, AFiredCancelEndsTheNextCallAtOnce) {
    auto err = sized<gputide_error>();
    gputide_cancel* cancel = nullptr;
    ASSERT_EQ(gputide_cancel_new(&cancel, &err), GPUTIDE_OK);
    gputide_source* source = nullptr;
    ASSERT_EQ(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, &err), GPUTIDE_OK) << err.message;
    gputide_cancel_fire(cancel);
    auto one = sized<gputide_sample>();
    EXPECT_EQ(gputide_source_fetch(source, 1795255200000, 5000, cancel, &one, &err), GPUTIDE_E_CANCELLED);
    gputide_cancel_reset(cancel);
    EXPECT_EQ(gputide_source_fetch(source, 1795255200000, 5000, cancel, &one, &err), GPUTIDE_E_UNAVAILABLE)
        << err.message;
    gputide_source_free(source);
    gputide_cancel_free(cancel);
}

}  // namespace
