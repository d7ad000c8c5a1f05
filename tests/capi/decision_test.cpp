// Policy, state and decision through the C API.
#include "support.hpp"

#include <gtest/gtest.h>

namespace {

class Decision : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(gputide_policy_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &policy, &err), GPUTIDE_OK)
            << err.message;
        ASSERT_EQ(gputide_state_new(policy, 0, &state, &err), GPUTIDE_OK);
    }
    void TearDown() override {
        gputide_state_free(state);
        gputide_policy_free(policy);
    }

    gputide_status decide(double value, std::int32_t current, std::int64_t now_ms, gputide_text* report = nullptr) {
        const gputide_sample sample = sample_of(value);
        const gputide_observation seen = seen_of(sample, current, now_ms);
        return gputide_decide(policy, state, &seen, &next, report, &err);
    }

    gputide_error err = sized<gputide_error>();
    gputide_policy* policy = nullptr;
    gputide_state* state = nullptr;
    gputide_decision next = sized<gputide_decision>();
};

TEST_F(Decision, ThresholdFive) {
    ASSERT_EQ(decide(42.5, 3, start_ms), GPUTIDE_OK) << err.message;
    EXPECT_EQ(next.proposed_replicas, 9);  // ceil(42.5 / 5)
    EXPECT_EQ(next.desired_replicas, 6);   // max(2 x 3, 4)
    EXPECT_EQ(next.limited_by, GPUTIDE_LIMIT_SCALE_UP);
    EXPECT_EQ(next.conditions[GPUTIDE_SCALING_LIMITED].truth, GPUTIDE_TRUE);
    EXPECT_STREQ(gputide_reason_name(next.conditions[GPUTIDE_SCALING_LIMITED].reason), "ScaleUpLimit");
    EXPECT_NE(next.flags & GPUTIDE_DECIDED_ACTIVE, 0U);
}

TEST_F(Decision, NothingIsDueTwice) {
    ASSERT_EQ(decide(42.5, 3, start_ms), GPUTIDE_OK);
    const std::int64_t due_ms = next.next_due_ms;
    ASSERT_EQ(decide(42.5, 3, start_ms + 1000), GPUTIDE_OK);
    EXPECT_EQ(next.limited_by, GPUTIDE_LIMIT_NOT_DUE);
    EXPECT_EQ(next.desired_replicas, 3);
    EXPECT_EQ(next.next_due_ms, due_ms);
}

TEST_F(Decision, SavedStateDecidesAlike) {
    ASSERT_EQ(decide(42.5, 3, start_ms), GPUTIDE_OK);
    ASSERT_EQ(gputide_state_record(policy, state, &next, 1, start_ms, &err), GPUTIDE_OK);
    owned_text saved;
    ASSERT_EQ(gputide_state_save(policy, state, &saved.value, &err), GPUTIDE_OK);
    gputide_state* loaded = nullptr;
    ASSERT_EQ(gputide_state_load(policy, saved.value.data, static_cast<std::int64_t>(saved.value.size_bytes), 0,
                                 &loaded, &err),
              GPUTIDE_OK)
        << err.message;
    ASSERT_EQ(decide(1.0, 6, start_ms + 15000), GPUTIDE_OK);
    const gputide_decision kept = next;
    std::swap(state, loaded);
    ASSERT_EQ(decide(1.0, 6, start_ms + 15000), GPUTIDE_OK);
    EXPECT_EQ(next.desired_replicas, kept.desired_replicas);
    EXPECT_EQ(next.limited_by, kept.limited_by);
    gputide_state_free(loaded);
}

TEST_F(Decision, ADescribedStateDecidesAlike) {
    ASSERT_EQ(decide(42.5, 3, start_ms), GPUTIDE_OK);
    owned_text described, saved, again;
    ASSERT_EQ(gputide_state_describe(policy, state, &described.value, &err), GPUTIDE_OK) << err.message;
    gputide_state* loaded = nullptr;
    EXPECT_EQ(gputide_state_load(policy, described.value.data, GPUTIDE_TEXT, 0, &loaded, &err), GPUTIDE_E_STATE);
    ASSERT_EQ(gputide_state_load(policy, described.value.data, GPUTIDE_TEXT, GPUTIDE_STATE_UNCHECKED, &loaded, &err),
              GPUTIDE_OK)
        << err.message;
    ASSERT_EQ(gputide_state_describe(policy, loaded, &again.value, &err), GPUTIDE_OK);
    EXPECT_EQ(again.str(), described.str());
    gputide_state_free(loaded);
}

TEST_F(Decision, AnAddressMayBeMissing) {
    gputide_policy* other = nullptr;
    const char* manifest = R"x({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"x"},
        "spec":{"scaleTargetRef":{"name":"x"},"triggers":[{"type":"prometheus","metadata":{"query":"up","threshold":"5"},
        "authenticationRef":{"name":"not-here"}}]}})x";
    EXPECT_EQ(gputide_policy_open(manifest, GPUTIDE_TEXT, nullptr, &other, &err), GPUTIDE_OK) << err.message;
    EXPECT_EQ(gputide_policy_metric_count(other), 1U);
    gputide_policy_free(other);
}

TEST_F(Decision, DamagedStateIsRefused) {
    owned_text saved;
    ASSERT_EQ(gputide_state_save(policy, state, &saved.value, &err), GPUTIDE_OK);
    std::string text = saved.str();
    text[text.size() / 2] ^= 1;
    gputide_state* loaded = nullptr;
    EXPECT_EQ(gputide_state_load(policy, text.data(), static_cast<std::int64_t>(text.size()), 0, &loaded, &err),
              GPUTIDE_E_STATE);
    EXPECT_EQ(loaded, nullptr);
    EXPECT_NE(err.message[0], '\0');
}

TEST_F(Decision, ReportRendersToLines) {
    owned_text report;
    ASSERT_EQ(decide(42.5, 3, start_ms, &report.value), GPUTIDE_OK);
    const std::string json = report.str();
    for (const char* part : {"\"desired_replicas\":6", "\"limited_by\":\"scale_up_limit\"", "\"trace\":["}) {
        EXPECT_NE(json.find(part), std::string::npos) << json;
    }
    owned_text lines;
    ASSERT_EQ(gputide_report_render(json.data(), static_cast<std::int64_t>(json.size()), &lines.value, &err),
              GPUTIDE_OK);
    EXPECT_NE(lines.str().find("ScalingLimited"), std::string::npos) << lines.str();
    EXPECT_EQ(gputide_report_render("[]", GPUTIDE_TEXT, &lines.value, &err), GPUTIDE_E_INVALID);
}

TEST_F(Decision, ObservationsAreChecked) {
    auto seen = sized<gputide_observation>();
    seen.now_ms = start_ms;
    seen.current_replicas = -1;
    EXPECT_EQ(gputide_decide(policy, state, &seen, &next, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("current_replicas"), std::string::npos);
    seen.current_replicas = 1;
    seen.sample_count = 1;
    EXPECT_EQ(gputide_decide(policy, state, &seen, &next, nullptr, &err), GPUTIDE_E_INVALID);
    EXPECT_NE(std::string(err.message).find("samples"), std::string::npos);
}

TEST_F(Decision, PolicyDescribesItself) {
    owned_text json;
    ASSERT_EQ(gputide_policy_describe(policy, &json.value, &err), GPUTIDE_OK);
    for (const char* part : {"\"minReplicaCount\":1", "\"cooldownPeriod\":300", "\"target\":5"}) {
        EXPECT_NE(json.str().find(part), std::string::npos) << json.str();
    }
    EXPECT_EQ(gputide_policy_metric_count(policy), 1U);
}

TEST(Scaler, PushedValuesNeedNoNetwork) {
    auto err = sized<gputide_error>();
    gputide_scaler* scaler = nullptr;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK) << err.message;
    const gputide_sample sample = sample_of(12.0);
    const gputide_observation seen = seen_of(sample, 2);
    auto next = sized<gputide_decision>();
    ASSERT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, nullptr, &err), GPUTIDE_OK) << err.message;
    EXPECT_EQ(next.desired_replicas, 3);
    ASSERT_EQ(gputide_scaler_record(scaler, &next, 1, start_ms, &err), GPUTIDE_OK);
    EXPECT_STREQ(gputide_reason_name(next.conditions[GPUTIDE_ABLE_TO_SCALE].reason), "SucceededRescale");
    owned_text json;
    ASSERT_EQ(gputide_scaler_describe(scaler, &json.value, &err), GPUTIDE_OK);
    for (const char* part :
         {"{\"policy\":{", "\"conditions\":[", "SucceededRescale", "\"metrics\":[", "\"value\":12"}) {
        EXPECT_NE(json.str().find(part), std::string::npos) << part << " in " << json.str();
    }
    gputide_scaler_free(scaler);
}

TEST(Scaler, UnpushedValuesAreATriggerError) {
    auto err = sized<gputide_error>();
    gputide_scaler* scaler = nullptr;
    ASSERT_EQ(gputide_scaler_open(pushed_manifest, GPUTIDE_TEXT, nullptr, &scaler, &err), GPUTIDE_OK);
    auto seen = sized<gputide_observation>();
    seen.now_ms = start_ms;
    seen.current_replicas = 2;
    auto next = sized<gputide_decision>();
    ASSERT_EQ(gputide_scaler_tick(scaler, &seen, 1000, nullptr, &next, nullptr, &err), GPUTIDE_OK) << err.message;
    EXPECT_NE(next.flags & GPUTIDE_DECIDED_ERROR, 0U);
    EXPECT_EQ(next.desired_replicas, 2);
    gputide_scaler_free(scaler);
}

TEST(Manifest, ACheckReportsEvenWhenItFails) {
    auto err = sized<gputide_error>();
    owned_text report;
    owned_text lines;
    auto options = sized<gputide_options>();
    options.text_name = "so.json";
    const char* manifest = R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":"x"},
        "spec":{"scaleTargetRef":{"name":"x"},"triggers":[{"type":"values","metadata":{"threshold":"abc"}}]}})";
    EXPECT_EQ(gputide_manifest_check(manifest, GPUTIDE_TEXT, &options, &report.value, &lines.value, &err),
              GPUTIDE_E_INVALID);
    EXPECT_NE(report.str().find("\"errors\":1"), std::string::npos) << report.str();
    EXPECT_NE(lines.str().find("so.json:2"), std::string::npos) << lines.str();
    EXPECT_NE(std::string(err.message).find("abc"), std::string::npos) << err.message;
}

}  // namespace
