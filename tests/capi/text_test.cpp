// Texts that cross the C API: filled again without a leak, and nothing moves where one cannot be handed over.
#include "support.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace {

// The host's memory: every piece is known, and the next ones may be refused.
struct counted_memory {
    std::map<void*, std::uint64_t> alive;
    bool empty = false;
};

counted_memory memory;

void* allocate(void*, uint64_t size_bytes) {
    if (memory.empty) return nullptr;
    void* out = std::malloc(static_cast<std::size_t>(size_bytes));
    memory.alive[out] = size_bytes;
    return out;
}

void release(void*, void* piece) {
    EXPECT_EQ(memory.alive.erase(piece), 1U);
    std::free(piece);
}

// First of all in this program: later the hook refuses.
const bool is_hooked = [] {
    auto hook = sized<gputide_allocator>();
    hook.allocate = allocate;
    hook.release = release;
    return gputide_set_allocator(&hook, nullptr) == GPUTIDE_OK;
}();

class Text : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(is_hooked);
        ASSERT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_OK);
        ASSERT_EQ(gputide_state_new(policy, 0, &state, &err), GPUTIDE_OK);
    }
    void TearDown() override {
        memory.empty = false;
        gputide_state_free(state);
        gputide_policy_free(policy);
        EXPECT_TRUE(memory.alive.empty());
    }
    std::string saved() {
        owned_text out;
        EXPECT_EQ(gputide_state_save(policy, state, &out.value, &err), GPUTIDE_OK);
        return out.str();
    }

    gputide_error err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_decision next = sized<gputide_decision>();
};

TEST_F(Text, FillingAgainFreesWhatWasThere) {
    owned_text text;
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(gputide_policy_describe(policy, &text.value, &err), GPUTIDE_OK);
        EXPECT_EQ(memory.alive.size(), 1U);
    }
}

TEST_F(Text, AReportThatCannotBeHandedOverMovesNothing) {
    const std::string before = saved();
    const gputide_sample busy = sample_of(42.5);
    const gputide_observation seen = seen_of(busy, 3);
    owned_text report;
    memory.empty = true;
    EXPECT_EQ(gputide_decide(policy, state, &seen, &next, &report.value, &err), GPUTIDE_E_NO_MEMORY);
    memory.empty = false;
    EXPECT_EQ(next.id, 0U);
    EXPECT_EQ(report.value.data, nullptr);
    EXPECT_EQ(saved(), before);
    ASSERT_EQ(gputide_decide(policy, state, &seen, &next, &report.value, &err), GPUTIDE_OK);
    EXPECT_EQ(next.desired_replicas, 6);
}

TEST_F(Text, NorDoesItMoveAScaler) {
    gputide_scaler* scaler = nullptr;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK);
    const gputide_sample busy = sample_of(42.5);
    const gputide_observation seen = seen_of(busy, 3);
    owned_text report, before, after;
    ASSERT_EQ(gputide_scaler_save(scaler, &before.value, &err), GPUTIDE_OK);
    memory.empty = true;
    EXPECT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, &report.value, &err), GPUTIDE_E_NO_MEMORY);
    memory.empty = false;
    ASSERT_EQ(gputide_scaler_save(scaler, &after.value, &err), GPUTIDE_OK);
    EXPECT_EQ(before.str(), after.str());
    ASSERT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, &report.value, &err), GPUTIDE_OK);
    EXPECT_EQ(next.desired_replicas, 6);
    gputide_scaler_free(scaler);
}

TEST_F(Text, TwoTextsComeTogetherOrNotAtAll) {
    owned_text report, lines;
    memory.empty = true;
    EXPECT_EQ(gputide_manifest_check(pushed_manifest, GPUTIDE_TEXT, nullptr, &report.value, &lines.value, &err),
              GPUTIDE_E_NO_MEMORY);
    memory.empty = false;
    EXPECT_EQ(report.value.data, nullptr);
    EXPECT_EQ(lines.value.data, nullptr);
}

TEST_F(Text, AMessageOfTheHostReachesTheReport) {
    auto failed = sized<gputide_sample>();
    failed.state = GPUTIDE_SAMPLE_FAILED;
    failed.status = GPUTIDE_E_UNAVAILABLE;
    failed.message = "the queue's broker is away";
    const gputide_observation seen = seen_of(failed, 3);
    owned_text report;
    ASSERT_EQ(gputide_decide(policy, state, &seen, &next, &report.value, &err), GPUTIDE_OK) << err.message;
    EXPECT_NE(report.str().find("the queue's broker is away"), std::string::npos) << report.str();

    gputide_scaler* scaler = nullptr;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK);
    ASSERT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, &report.value, &err), GPUTIDE_OK);
    EXPECT_NE(report.str().find("the queue's broker is away"), std::string::npos) << report.str();
    owned_text metrics;
    ASSERT_EQ(gputide_scaler_describe(scaler, &metrics.value, &err), GPUTIDE_OK);
    EXPECT_NE(metrics.str().find("the queue's broker is away"), std::string::npos) << metrics.str();
    gputide_scaler_free(scaler);
}

}  // namespace
