// Tests that what became of a decision is said once, to the state that made it.
#include "support.hpp"

#include <gtest/gtest.h>

namespace {

class Record : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_OK);
        ASSERT_EQ(gputide_state_new(policy, 0, &state, &err), GPUTIDE_OK);
        ASSERT_EQ(gputide_state_new(policy, 0, &other, &err), GPUTIDE_OK);
    }
    void TearDown() override {
        gputide_state_free(other);
        gputide_state_free(state);
        gputide_policy_free(policy);
    }
    gputide_decision decide(std::int32_t current, std::int64_t now_ms = start_ms) {
        return decide_with(state, current, now_ms);
    }
    gputide_decision decide_with(gputide_state* decider, std::int32_t current, std::int64_t now_ms) {
        auto out = sized<gputide_decision>();
        const double number = 42.5;
        EXPECT_EQ(gputide_decide_values(policy, decider, now_ms, current, &number, 1, &out, &err), GPUTIDE_OK);
        return out;
    }
    gputide_status record(gputide_state* by, gputide_decision& decision, std::int32_t applied = 1) {
        return gputide_state_record(policy, by, &decision, applied, start_ms, &err);
    }
    std::string saved() {
        owned_text out;
        EXPECT_EQ(gputide_state_save(policy, state, &out.value, &err), GPUTIDE_OK);
        return out.str();
    }

    gputide_error err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_state* other = nullptr;
};

TEST_F(Record, Once) {
    gputide_decision next = decide(3);
    EXPECT_NE(next.id, 0U);
    gputide_decision copy = next;
    ASSERT_EQ(record(state, next), GPUTIDE_OK) << err.message;
    const std::string after = saved();
    EXPECT_EQ(record(state, next), GPUTIDE_E_STATE);
    EXPECT_EQ(record(state, copy, 0), GPUTIDE_E_STATE);
    EXPECT_NE(std::string(err.message).find("already"), std::string::npos) << err.message;
    EXPECT_EQ(saved(), after);
}

// The words stand in the next report: until KEDA's next poll Ready is what the refused write made it.
TEST_F(Record, WhyAWriteFailedStandsInTheConditions) {
    gputide_decision first = decide(0);
    const std::string why = "admission webhook denied the request";
    first.message = why.c_str();
    ASSERT_EQ(record(state, first, 0), GPUTIDE_OK) << err.message;
    EXPECT_EQ(first.message, nullptr);
    const gputide_sample sample = sample_of(42.5);
    const gputide_observation seen = seen_of(sample, 0, start_ms + 1);
    auto next = sized<gputide_decision>();
    owned_text report;
    ASSERT_EQ(gputide_decide(policy, state, &seen, &next, &report.value, &err), GPUTIDE_OK) << err.message;
    EXPECT_NE(report.str().find("error activating ScaleTarget: " + why), std::string::npos) << report.str();
}

TEST_F(Record, WhyTheSizeIsUnknownStandsInTheConditions) {
    auto seen = sized<gputide_observation>();
    seen.now_ms = start_ms;
    seen.flags = GPUTIDE_SCALE_UNREADABLE;
    seen.message = "connection refused";
    auto made = sized<gputide_decision>();
    owned_text report;
    ASSERT_EQ(gputide_decide(policy, state, &seen, &made, &report.value, &err), GPUTIDE_OK) << err.message;
    EXPECT_NE(report.str().find("current scale: connection refused"), std::string::npos) << report.str();
    seen.message = nullptr;
    seen.now_ms += 60'000;
    owned_text later;
    ASSERT_EQ(gputide_decide(policy, state, &seen, &made, &later.value, &err), GPUTIDE_OK) << err.message;
    EXPECT_NE(later.str().find("current scale: no reason was given"), std::string::npos) << later.str();
}

TEST_F(Record, NotWhatSomebodyElseDecided) {
    gputide_decision next = decide(3);
    EXPECT_EQ(record(other, next), GPUTIDE_E_STATE);
    EXPECT_NE(std::string(err.message).find("did not make"), std::string::npos) << err.message;
    gputide_decision changed = next;
    changed.desired_replicas = 7;
    EXPECT_EQ(record(state, changed), GPUTIDE_E_STATE);
    auto fabricated = sized<gputide_decision>();
    fabricated.current_replicas = 3;
    fabricated.desired_replicas = 6;
    EXPECT_EQ(record(state, fabricated), GPUTIDE_E_STATE);
    EXPECT_EQ(record(state, next), GPUTIDE_OK);
}

TEST_F(Record, NotWhatAnotherStateDecidedAlike) {
    gputide_decision next = decide(3);
    gputide_decision alike = decide_with(other, 3, start_ms);
    EXPECT_EQ(record(state, alike), GPUTIDE_E_STATE);
    EXPECT_EQ(record(other, next), GPUTIDE_E_STATE);
    EXPECT_EQ(record(state, next), GPUTIDE_OK);
    EXPECT_EQ(record(other, alike), GPUTIDE_OK);
}

TEST_F(Record, NotWhatAStateDecidedThatIsGone) {
    gputide_decision next = decide(3);
    gputide_state_free(state);
    ASSERT_EQ(gputide_state_new(policy, 0, &state, &err), GPUTIDE_OK);  // likely at the same address
    gputide_decision alike = decide(3);
    EXPECT_EQ(record(state, next), GPUTIDE_E_STATE);
    EXPECT_EQ(record(state, alike), GPUTIDE_OK);
}

TEST_F(Record, InTheirOrder) {
    gputide_decision slow = decide(3);
    gputide_decision newer = decide(3, start_ms + 30'000);
    gputide_decision newest = decide(3, start_ms + 60'000);
    EXPECT_EQ(record(state, newer), GPUTIDE_OK);
    EXPECT_EQ(record(state, slow), GPUTIDE_E_STATE);
    EXPECT_EQ(record(state, newest), GPUTIDE_OK);
}

// Two hosts that take over from one saved state decide for themselves.
TEST_F(Record, TwoThatWereLoadedFromOneText) {
    gputide_decision before = decide(3);
    const std::string text = saved();
    gputide_state* loaded[2] = {};
    for (gputide_state*& each : loaded) {
        ASSERT_EQ(gputide_state_load(policy, text.data(), static_cast<std::int64_t>(text.size()), 0, &each, &err),
                  GPUTIDE_OK)
            << err.message;
        gputide_decision again = before;
        EXPECT_EQ(record(each, again), GPUTIDE_OK) << "what was decided before the text was saved";
    }
    gputide_decision first = decide_with(loaded[0], 6, start_ms + 30'000);
    gputide_decision second = decide_with(loaded[1], 6, start_ms + 30'000);
    EXPECT_EQ(record(loaded[0], second), GPUTIDE_E_STATE);
    EXPECT_EQ(record(loaded[1], first), GPUTIDE_E_STATE);
    EXPECT_EQ(record(loaded[0], first), GPUTIDE_OK);
    EXPECT_EQ(record(loaded[1], second), GPUTIDE_OK);
    for (gputide_state* each : loaded) gputide_state_free(each);
}

// A host that crashed while it wrote knows its decision from the report, and what became of it from the target.
TEST_F(Record, AfterARestart) {
    gputide_decision next = decide(3);
    const std::string text = saved();
    gputide_state* loaded = nullptr;
    ASSERT_EQ(gputide_state_load(policy, text.data(), static_cast<std::int64_t>(text.size()), 0, &loaded, &err),
              GPUTIDE_OK)
        << err.message;
    auto rebuilt = sized<gputide_decision>();
    rebuilt.id = next.id;
    rebuilt.current_replicas = next.current_replicas;
    rebuilt.desired_replicas = next.desired_replicas;
    rebuilt.source = next.source;
    EXPECT_EQ(record(loaded, rebuilt), GPUTIDE_OK) << err.message;
    EXPECT_EQ(record(loaded, rebuilt), GPUTIDE_E_STATE);
    gputide_state_free(loaded);
}

TEST(ScalerRecord, Once) {
    auto err = sized<gputide_error>();
    auto next = sized<gputide_decision>();
    gputide_scaler* scaler = nullptr;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK);
    const gputide_sample busy = sample_of(42.5);
    const gputide_observation seen = seen_of(busy, 3);
    ASSERT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, nullptr, &err), GPUTIDE_OK);
    EXPECT_EQ(gputide_scaler_record(scaler, &next, 1, 0, &err), GPUTIDE_E_INVALID);  // no time
    EXPECT_EQ(gputide_scaler_record(scaler, &next, 1, start_ms, &err), GPUTIDE_OK);
    EXPECT_EQ(gputide_scaler_record(scaler, &next, 1, start_ms, &err), GPUTIDE_E_STATE);
    gputide_scaler_free(scaler);
}

}  // namespace
