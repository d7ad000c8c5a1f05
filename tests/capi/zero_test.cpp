// Zero is never a value that was not given; sizes, flags, times and counts that cannot be meant are refused by name.
#include "support.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

class Zero : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_OK);
        ASSERT_EQ(gputide_state_new(policy, 0, &state, &err), GPUTIDE_OK);
    }
    void TearDown() override {
        gputide_state_free(state);
        gputide_policy_free(policy);
    }
    gputide_status decide(const gputide_observation& seen) {
        return gputide_decide(policy, state, &seen, &next, nullptr, &err);
    }
    bool names(const char* part) const { return std::string(err.message).find(part) != std::string::npos; }

    gputide_error err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_decision next = sized<gputide_decision>();
};

TEST_F(Zero, ASampleThatNobodyFilledIsNoNumber) {
    const auto blank = sized<gputide_sample>();
    ASSERT_EQ(decide(seen_of(blank, 3)), GPUTIDE_OK) << err.message;
    EXPECT_NE(next.flags & GPUTIDE_DECIDED_ERROR, 0U);
    EXPECT_EQ(next.desired_replicas, 3);
}

TEST_F(Zero, TimesAreGivenAndPossible) {
    const gputide_sample sample = sample_of(1.0);
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{253'402'300'800'000}}) {
        EXPECT_EQ(decide(seen_of(sample, 3, bad)), GPUTIDE_E_INVALID) << bad;
        EXPECT_TRUE(names("now_ms")) << err.message;
        const double number = 1.0;
        EXPECT_EQ(gputide_decide_values(policy, state, bad, 1, &number, 1, &next, &err), GPUTIDE_E_INVALID);
    }
    gputide_state* made = nullptr;
    EXPECT_EQ(gputide_state_new(policy, -1, &made, &err), GPUTIDE_E_INVALID);
    EXPECT_EQ(made, nullptr);
}

TEST_F(Zero, CountsFitThePolicy) {
    const std::array<gputide_sample, 2> two{sample_of(1.0), sample_of(2.0)};
    gputide_observation seen = seen_of(two[0], 3);
    seen.sample_count = 2;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    EXPECT_TRUE(names("sample_count is 2")) << err.message;
    seen.sample_count = 0;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    seen.flags = GPUTIDE_SCALE_UNREADABLE;
    EXPECT_EQ(decide(seen), GPUTIDE_OK) << err.message;
}

TEST_F(Zero, PodsSayTheirPhaseAndReadiness) {
    const gputide_sample sample = sample_of(1.0);
    gputide_observation seen = seen_of(sample, 3);
    gputide_pod pod{};
    seen.pods = &pod;
    seen.pod_count = 1;
    seen.pod_size = sizeof pod;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    EXPECT_TRUE(names("pods[0].phase")) << err.message;
    pod.phase = GPUTIDE_POD_RUNNING;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    EXPECT_TRUE(names("pods[0].ready")) << err.message;
    pod.ready = GPUTIDE_READY_YES;
    gputide_pod_sample busy{};
    seen.pod_samples = &busy;
    seen.pod_sample_count = 1;
    seen.pod_sample_size = sizeof busy;
    EXPECT_EQ(decide(seen), GPUTIDE_OK) << err.message;
    busy.pod = 2;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    EXPECT_TRUE(names("pod is 2")) << err.message;
    busy.pod = 1;
    busy.metric = 1;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    EXPECT_TRUE(names("metric is 1; the policy has 1 metrics")) << err.message;
    busy.metric = 0;
    busy.reserved = 1;
    EXPECT_EQ(decide(seen), GPUTIDE_E_TOO_NEW);
}

TEST_F(Zero, ElementsAreAsLongAsTheirFirstRelease) {
    const gputide_sample sample = sample_of(1.0);
    gputide_observation seen = seen_of(sample, 3);
    seen.sample_size = sizeof sample - 8;
    EXPECT_EQ(decide(seen), GPUTIDE_E_INVALID);
    EXPECT_TRUE(names("samples")) << err.message;
}

TEST_F(Zero, FlagsAreKnown) {
    gputide_sample sample = sample_of(1.0);
    sample.flags = 2;
    EXPECT_EQ(decide(seen_of(sample, 3)), GPUTIDE_E_TOO_NEW);
    gputide_state* loaded = nullptr;
    EXPECT_EQ(gputide_state_load(policy, "", 0, 1U << 31, &loaded, &err), GPUTIDE_E_TOO_NEW);
}

TEST(Timeouts, AreMoreThanNothing) {
    auto err = sized<gputide_error>();
    auto next = sized<gputide_decision>();
    auto entry = sized<gputide_sample>();
    gputide_scaler* scaler = nullptr;
    gputide_source* source = nullptr;
    owned_text text;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK);
    ASSERT_EQ(gputide_source_open(prometheus_trigger, GPUTIDE_TEXT, nullptr, &source, &err), GPUTIDE_OK);
    const gputide_sample number = sample_of(1.0);
    const gputide_observation seen = seen_of(number, 3);
    for (const std::int32_t bad : {0, GPUTIDE_FOREVER, -2}) {
        EXPECT_EQ(gputide_scaler_tick(scaler, &seen, bad, nullptr, &next, nullptr, &err), GPUTIDE_E_INVALID);
        EXPECT_NE(std::string(err.message).find("timeout_ms"), std::string::npos) << err.message;
        EXPECT_EQ(gputide_source_fetch(source, start_ms, bad, nullptr, &entry, &err), GPUTIDE_E_INVALID);
        EXPECT_EQ(
            gputide_doctor(pushed_manifest, GPUTIDE_TEXT, nullptr, nullptr, bad, nullptr, &text.value, nullptr, &err),
            GPUTIDE_E_INVALID);
    }
    gputide_source_free(source);
    gputide_scaler_free(scaler);
}

TEST(Pushed, ATriggerWithASourceTakesNoNumber) {
    auto err = sized<gputide_error>();
    auto next = sized<gputide_decision>();
    gputide_scaler* scaler = nullptr;
    const char* manifest = R"x({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"x"},
        "spec":{"scaleTargetRef":{"name":"x"},"triggers":[{"type":"prometheus","metadata":{
        "serverAddress":"http://127.0.0.1:1","query":"up","threshold":"5"}}]}})x";
    ASSERT_EQ(gputide_scaler_open(manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK) << err.message;
    const gputide_sample number = sample_of(1.0);
    const gputide_observation seen = seen_of(number, 3);
    EXPECT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("its own source"), std::string::npos) << err.message;
    gputide_scaler_free(scaler);
}

}  // namespace
